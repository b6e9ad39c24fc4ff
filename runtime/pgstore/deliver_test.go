package pgstore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

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

// A batch costs two round trips, however large it is; its duplicates one more.
func TestRoundTripsOfABatch(t *testing.T) {
	db := open(t)
	log := new(statementLog)
	store := storeWith(t, db, func(c *pgxpool.Config) { c.ConnConfig.Tracer = log })
	hold(t, store, "notify:first") // which also reads the table's version
	log.take()
	for _, step := range []struct {
		name     string
		from, to int
		again    bool
		want     []string
	}{
		{"new", 0, 100, false, []string{"INSERT", "UPDATE"}},
		{"half of it done", 50, 150, false, []string{"INSERT", "SELECT", "UPDATE"}},
		{"done", 0, 100, false, []string{"INSERT", "SELECT"}},
		{"done, and known to be delivered again", 0, 100, true, []string{"SELECT"}},
		{"new again", 200, 300, false, []string{"INSERT", "UPDATE"}},
	} {
		var keys []idem.Key
		for i := step.from; i < step.to; i++ {
			keys = append(keys, idem.Key(fmt.Sprintf("notify:%d", i)))
		}
		ctx := idem.WithDelivery(t.Context(), idem.Delivery{Redelivered: step.again})
		for _, d := range deliverAll(ctx, store, keys) {
			if d.Err != nil || d.Result != "sent" {
				t.Fatalf("%s: %+v", step.name, d)
			}
		}
		if diff := cmp.Diff(step.want, log.take()); diff != "" {
			t.Errorf("%s (-want +sent):\n%s", step.name, diff)
		}
	}
}

func deliverAll(ctx context.Context, store idem.Store, keys []idem.Key) []idem.Delivered[string] {
	return idem.Batch(ctx, store, keys, func(key idem.Key) (idem.Key, error) { return key, nil },
		func(ctx context.Context, store idem.Store, key idem.Key) (string, error) {
			run, err := idem.Claim[string](ctx, store, idem.Spec{Handler: "notify", Lease: lease, Attempts: 3}, key)
			if err != nil {
				return "", err
			}
			if got, ok := run.Replay(); ok {
				return got, nil
			}
			defer run.Close()
			return run.Complete("sent", nil)
		})
}
