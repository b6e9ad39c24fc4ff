package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// What observers, logs and the handler's context know is what they know outside
// of a transaction; and Lookup asks first, since an attempt that left nothing
// behind has the same number.
func TestTxContext(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		seen := &notes{}
		w.store = idem.Configure(w.store, idem.WithObserver(seen), idem.WithErrorText(func(error) string { return "secret" }))
		ctx := context.WithValue(idem.WithDelivery(t.Context(), idem.Delivery{MessageID: "m1"}), traceKey{}, "trace")
		asked := 0
		handle := func(ctx context.Context, _ func(string) error) (receipt, error) {
			got, _ := idem.KeyFromContext(ctx)
			attempt, ok := idem.AttemptFromContext(ctx)
			if got != key || attempt != w.ran || !ok {
				t.Errorf("the context knows key %q, attempt %d, %t", got, attempt, ok)
			}
			return idem.Lookup(ctx, func(context.Context) (receipt, bool, error) { asked++; return receipt{}, false, nil },
				func(context.Context) (receipt, error) {
					return receipt{ID: "m"}, []error{errors.New("no"), nil}[w.ran-1]
				})
		}
		for range 3 {
			_, _ = w.deliver(ctx, key, handle)
		}
		if asked != w.ran {
			t.Errorf("Lookup asked first on %d of %d attempts", asked, w.ran)
		}
		var answers []string
		for line := range strings.SplitSeq(seen.take(), "; ") {
			if _, end, ok := strings.Cut(line, "ended notify notify:1 m1 "); ok {
				end, _, _ := strings.Cut(end, " after")
				answers = append(answers, end)
			}
		}
		if got := fmt.Sprint(answers); got != "[1: retry 2: done 2: replayed]" {
			t.Errorf("observers were told %s", got)
		}
		db.Exec(t, "DELETE FROM job_runs")
		w.ran = 0
		_, _ = w.deliver(ctx, key, failing(errors.New("password")))
		if rec := lookup(t, db, key); rec.Error != "secret" {
			t.Errorf("the row says %q", rec.Error)
		}
	})
}

// openTx is a transaction of which nothing is asked but that it ends.
type openTx struct {
	idem.Tx
	completed func() error
}

func (openTx) Handle() any { return 1 }

func (openTx) Rollback(context.Context) {}

func (tx openTx) Complete(context.Context, idem.Token, idem.Outcome) error {
	return tx.completed()
}

type openTxStore struct {
	idem.TxStore
	tx openTx
}

func (openTxStore) Conflicted(error) bool { return false }

func (s openTxStore) ClaimTx(_ context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	return running(req, req.Owner), s.tx, nil
}

// The handler's context ends with the lease, which nobody extends; what the
// handler has finished all the same is committed, since the row is locked.
func TestTxContextEndsWithTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		completed := false
		store := openTxStore{tx: openTx{completed: func() error { completed = true; return nil }}}
		start := time.Now()
		_, err := deliverTx(t.Context(), store, leased, key, func(ctx context.Context, _ int) (receipt, error) {
			<-ctx.Done()
			if took := time.Since(start); took != leased.Lease || !errors.Is(context.Cause(ctx), idem.ErrLeaseLost) {
				t.Errorf("the context ended after %v: %v", took, context.Cause(ctx))
			}
			return receipt{}, nil
		})
		if err != nil || !completed {
			t.Errorf("completed: %t, %v", completed, err)
		}
	})
}
