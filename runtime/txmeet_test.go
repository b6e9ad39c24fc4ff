package runtime_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// Of deliveries that meet, one does the work and the others get its result; and
// when it is rolled back, another one does it (D1).
func TestTxAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		const workers = 8
		var mu sync.Mutex
		fails := 2
		var all sync.WaitGroup
		errs := make([]error, workers)
		for i := range workers {
			all.Go(func() {
				own := &txWorker{t: t, db: db, store: w.store, spec: w.spec}
				_, errs[i] = own.deliver(t.Context(), key, func(context.Context, func(string) error) (receipt, error) {
					mu.Lock()
					defer mu.Unlock()
					if fails > 0 {
						fails--
						return receipt{}, errors.New("no")
					}
					return receipt{ID: "m", N: 7}, nil
				})
			})
		}
		all.Wait()
		failed := 0
		for _, err := range errs {
			if err != nil {
				failed++
			}
		}
		if failed != 2 {
			t.Errorf("%d deliveries failed: %v; want the 2 whose handler did", failed, errs)
		}
		w.want("after all", key, 1)
		if rec := lookup(t, db, key); rec.Status != idem.StatusDone {
			t.Errorf("the row is %+v", rec)
		}
	})
}

// A duplicate waits no longer than the lock timeout, and is told to come back.
func TestTxInProgress(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		_, err := w.deliver(t.Context(), key, func(context.Context, func(string) error) (receipt, error) {
			other := &txWorker{t: t, db: db, store: w.patient(20 * time.Millisecond), spec: w.spec}
			_, err := other.deliver(t.Context(), key, fine)
			var busy *idem.InProgressError
			if !errors.As(err, &busy) || busy.RetryAfter != 20*time.Millisecond || other.ran > 0 {
				t.Errorf("beside the handler: got %v after %d runs", err, other.ran)
			}
			return receipt{}, nil
		})
		if err != nil {
			t.Error(err)
		}
		w.want("after all", key, 1)
	})
}

// Work that has been rolled back while another delivery waited is told with
// ErrLeaseLost: what it came to is not recorded, and the row is the other's.
func TestTxOvertaken(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		w.store = overtaken{w.store.(idem.TxStore), func() {
			other := &txWorker{t: t, db: db, store: w.patient(time.Hour), spec: w.spec}
			if _, err := other.deliver(t.Context(), key, fine); err != nil {
				t.Error(err)
			}
		}}
		no := errors.New("no")
		for _, err := range []error{no, idem.Permanent(no)} {
			_, err := w.deliver(t.Context(), key, failing(err))
			if !errors.Is(err, no) || !errors.Is(err, idem.ErrLeaseLost) || errors.Is(err, idem.ErrFailed) {
				t.Errorf("got %v", err)
			}
			w.want("overtaken", key, 1)
			w.wantRow(t, "overtaken", key, idem.StatusDone, 1, 0)
			db.Exec(t, "DELETE FROM job_runs")
			db.Exec(t, "DELETE FROM work")
		}
	})
}

// overtaken has something happen after each rollback.
type overtaken struct {
	idem.TxStore
	then func()
}

func (o overtaken) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	rec, tx, err := o.TxStore.ClaimTx(ctx, req)
	if tx != nil {
		tx = overtakenTx{tx, o.then}
	}
	return rec, tx, err
}

type overtakenTx struct {
	idem.Tx
	then func()
}

func (tx overtakenTx) Rollback(ctx context.Context) {
	tx.Tx.Rollback(ctx)
	tx.then()
}
