package pgstore_test

import (
	"context"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
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

// valuesOfARun has every statement that a fingerprint goes through: there is
// none, then one that is taken on, kept and compared, until the run is dead.
func valuesOfARun(t *testing.T, db idemtest.DB, store *pgstore.Store) {
	t.Helper()
	ctx := t.Context()
	claim := func(value string, granted bool) idem.Record {
		t.Helper()
		req := request("charge:1")
		if value != "" {
			data, err := idem.NewFingerprint(idem.Value("value", value)).Bytes()
			must(t, err)
			req.Fingerprint = data
		}
		rec, err := store.Claim(ctx, req)
		if err != nil || rec.HeldBy(req.Owner) != granted || rec.DiffersFrom(req.Fingerprint) != (value == "another") {
			t.Fatalf("claimed with %q: got %+v, %v; want it granted: %v", value, rec, err, granted)
		}
		return rec
	}
	must(t, store.Release(ctx, claim("", true).Token(), idem.Release{Attempts: 3}))
	claim("one", true)
	claim("another", false)
	db.Advance(2 * lease)
	claim("another", false)
	claim("one", true)
	db.Advance(2 * lease)
	claim("another", false)
	if rec := claim("one", false); rec.Status != idem.StatusDead || rec.Fingerprint == nil {
		t.Errorf("buried: %+v", rec)
	}
}
