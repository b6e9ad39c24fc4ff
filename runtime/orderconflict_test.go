package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// A delivery has five transactions, wherever in them the conflicts are.
func TestOrderConflictsInAll(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w, claims, left := newOrderWorker(t, db, true), 0, 99
		conflict := &pgconn.PgError{Severity: "ERROR", Code: "40001", Message: "could not serialize"}
		store := orderConflicts{orderTxStore: w.store.(orderTxStore), err: conflict, left: &left}
		w.store = alternating{store, &claims}
		_, err := w.deliver(t.Context(), "7", 2, succeed)
		if !errors.Is(err, conflict) || claims != 5+1 || len(w.ran) != 3 {
			t.Errorf("got %v after %d claims and %d runs; want it after 5 and 3, and one that records it", err, claims, len(w.ran))
		}
	})
}

// alternating conflicts at the completion and at the entry by turns.
type alternating struct {
	orderConflicts
	claims *int
}

func (a alternating) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	a.call = []string{"Complete", "Enter"}[*a.claims%2]
	*a.claims++
	return a.orderConflicts.ClaimTx(ctx, req)
}

// Who waits before the next transaction looks at the context meanwhile.
func TestTxConflictsEndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := deliverTx(ctx, serializing{}, leased, key, func(context.Context, any) (receipt, error) { return receipt{}, nil })
		if waited := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || waited != 5*time.Millisecond {
			t.Errorf("got %v after %v; want the end of the context after 5ms", err, waited)
		}
	})
}

// A conflict that comes when the caller has gone is not worth another transaction:
// it is recorded as any error is.
func TestTxConflictsOfACallerThatHasGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var released []string
	store := serializing{released: &released}
	_, err := deliverTx(ctx, store, leased, key, func(context.Context, any) (receipt, error) {
		cancel()
		return receipt{}, nil
	})
	if !errors.Is(err, errDown) || len(released) != 1 || !strings.Contains(released[0], errDown.Error()) {
		t.Errorf("got %v, and recorded %q", err, released)
	}
}

// serializing is a store whose transactions all conflict, but for what records that.
type serializing struct {
	idem.TxStore
	released *[]string
}

func (serializing) Conflicted(err error) bool { return errors.Is(err, errDown) }

func (s serializing) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	if err := ctx.Err(); err != nil {
		return idem.Record{}, nil, err
	}
	return running(req, req.Owner), serializingTx{of: s}, nil
}

type serializingTx struct {
	idem.Tx
	of serializing
}

func (serializingTx) Handle() any { return 0 }

func (serializingTx) Complete(context.Context, idem.Token, idem.Outcome) error { return errDown }

func (tx serializingTx) Release(_ context.Context, _ idem.Token, r idem.Release) error {
	*tx.of.released = append(*tx.of.released, r.Error)
	return nil
}

func (serializingTx) Rollback(context.Context) {}
