package pgstore_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// Of completions that go together, in whatever order they came, each is told
// about its own run.
func TestLostAmongOthers(t *testing.T) {
	const all = 40
	db := open(t)
	store := pgstore.New(pgtest.Pool(db))
	batch, leave := store.Batch(all)
	lost := func(i int) bool { return i%3 == 0 }
	var deliveries sync.WaitGroup
	for i := range all {
		key := fmt.Sprintf("notify:%d", i*7%all)
		rec := hold(t, store, idem.Key(key))
		if lost(i) {
			db.Exec(t, fmt.Sprintf("UPDATE job_runs SET attempts = 2 WHERE key = '%s'", key))
		}
		deliveries.Go(func() {
			defer leave()
			err := batch.Complete(t.Context(), rec.Token(), idem.Outcome{Status: idem.StatusDone})
			if errors.Is(err, idem.ErrLeaseLost) != lost(i) || err != nil && !lost(i) {
				t.Errorf("%s: %v; it was lost: %v", key, err, lost(i))
			}
		})
	}
	deliveries.Wait()
}
