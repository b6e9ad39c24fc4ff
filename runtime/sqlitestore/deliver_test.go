package sqlitestore_test

import (
	"context"

	idem "github.com/idemgen/idemgen/runtime"
)

// deliver is what a wrapper does; with a fingerprint of a value, if there is
// one.
func deliver(ctx context.Context, store idem.Store, key idem.Key, value string) error {
	var opts []idem.ClaimOption
	if value != "" {
		opts = append(opts, idem.WithFingerprint(idem.NewFingerprint(idem.Value("value", value))))
	}
	run, err := idem.Claim[int](ctx, store, idem.Spec{Handler: "notify", Lease: lease, Attempts: 3}, key, opts...)
	if err != nil {
		return err
	}
	if _, ok := run.Replay(); ok {
		return nil
	}
	_, err = run.Complete(1, nil)
	return err
}
