package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// A batch of transactional handlers is one transaction an event, each of its own
// fate: what conflicts is done again and what fails is recorded, also when one may
// run at a time.
func TestTxBatch(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		no, left := errors.New("no"), 2
		conflict := errors.New("could not serialize")
		store := conflicting{w.store.(idem.TxStore), "completion", conflict, &left}
		keyOf := func(n int) (idem.Key, error) { return idem.Key(fmt.Sprint("notify:", n)), nil }
		once := func(ctx context.Context, store idem.Store, n int) (receipt, error) {
			key, err := keyOf(n)
			own := &txWorker{t: t, db: db, store: store, spec: w.spec}
			handle := fine
			if n%3 == 0 {
				handle = failing(no)
			}
			if err != nil {
				return receipt{}, err
			}
			return own.deliver(ctx, key, handle)
		}
		events := []int{1, 2, 3, 4, 2, 6, 5}
		for i, d := range idem.Batch(t.Context(), store, events, keyOf, once, idem.Limit(1)) {
			if fails := events[i]%3 == 0; fails != errors.Is(d.Err, no) || !fails && (d.Err != nil || d.Result.ID != "m") {
				t.Errorf("event %d: %v, %v", events[i], d.Result, d.Err)
			}
		}
		if left != 0 {
			t.Errorf("%d conflicts did not come", left)
		}
		// The store that takes batches together, with nothing to take together.
		for i, d := range idem.Batch(t.Context(), w.store, []int{7, 8, 7}, keyOf, once) {
			if d.Err != nil || d.Result.ID != "m" {
				t.Errorf("delivery %d: %v, %v", i, d.Result, d.Err)
			}
		}
		for n := 1; n <= 8; n++ {
			key, _ := keyOf(n)
			rows, status, attempt := 1, idem.StatusDone, 1
			if n%3 == 0 {
				rows, status, attempt = 0, idem.StatusWaiting, 2
			}
			w.want(string(key), key, rows)
			w.wantRow(t, "batch", key, status, attempt, 0)
		}
	})
}
