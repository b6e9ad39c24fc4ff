package runtime_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// Invariant 7 with order: the worker dies at each statement, before or after it took
// effect. The version is run again, is done, and no older one is run after it.
func TestOrderDiesAnywhere(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		for _, call := range []string{"Claim", "Enter", "Apply", "Complete", "Leave", "Release"} {
			for _, happen := range []bool{false, true} {
				w := newOrderWorker(t, db, false)
				w.store = &dying{OrderStore: w.store.(idem.OrderStore), call: call, happen: happen}
				entity, handle := fmt.Sprint(call, happen), succeed
				if call == "Leave" || call == "Release" {
					handle = fails(errors.New("later"))
				}
				if _, err := w.deliver(t.Context(), entity, 2, handle); err == nil {
					t.Errorf("%s: it lives on", entity)
				}
				w.store = newOrderWorker(t, db, false).store
				got, err := w.deliver(t.Context(), entity, 2, succeed)
				var busy *idem.InProgressError
				for range 11 {
					if !errors.As(err, &busy) {
						break
					}
					db.Advance(busy.RetryAfter)
					got, err = w.deliver(t.Context(), entity, 2, succeed)
				}
				if done := call == "Complete" && happen; err != nil || got.N != 2 || done && len(w.ran) != 1 {
					t.Errorf("%s: %v, %v after %d runs", entity, got, err, len(w.ran))
				}
				w.wantEntity(entity, entity, 2, false)
				w.wantStale(entity, 1, 2)
			}
		}
	})
}

// dying is the store of a worker that dies at a call, which happens or not. From
// then on nothing does.
type dying struct {
	idem.OrderStore
	call   string
	happen bool
	dead   bool
}

func (d *dying) at(call string, do func() error) error {
	if d.dead {
		return errCrashed
	}
	if call != d.call {
		return do()
	}
	d.dead = true
	if d.happen {
		_ = do()
	}
	return errCrashed
}

func (d *dying) Claim(ctx context.Context, req idem.ClaimRequest) (rec idem.Record, err error) {
	err = d.at("Claim", func() error { rec, err = d.OrderStore.Claim(ctx, req); return err })
	return rec, err
}

func (d *dying) Enter(ctx context.Context, req idem.EntityRequest) (entity idem.Entity, err error) {
	err = d.at("Enter", func() error { entity, err = d.OrderStore.Enter(ctx, req); return err })
	return entity, err
}

func (d *dying) Apply(ctx context.Context, token idem.EntityToken, version int64) error {
	return d.at("Apply", func() error { return d.OrderStore.Apply(ctx, token, version) })
}

func (d *dying) Leave(ctx context.Context, token idem.EntityToken) error {
	return d.at("Leave", func() error { return d.OrderStore.Leave(ctx, token) })
}

func (d *dying) Complete(ctx context.Context, token idem.Token, o idem.Outcome) error {
	return d.at("Complete", func() error { return d.OrderStore.Complete(ctx, token, o) })
}

func (d *dying) Release(ctx context.Context, token idem.Token, r idem.Release) error {
	return d.at("Release", func() error { return d.OrderStore.Release(ctx, token, r) })
}

// An error of the store ends the delivery with the key free, and is no attempt.
func TestOrderStoreFails(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newOrderWorker(t, db, false)
		w.apply("7", 1)
		whole := w.store
		w.store = refusing{w.store.(idem.OrderStore)}
		for n := range 2 * w.spec.Attempts {
			if _, err := w.deliver(t.Context(), "7", 2, succeed); !errors.Is(err, errDown) || !strings.Contains(err.Error(), "entity account:7: connection refused") {
				t.Errorf("got %v", err)
			}
			w.wantRow("given back", depositKey("7", 2), idem.StatusWaiting, n+2, n+1)
		}
		w.store = whole
		w.apply("7", 2)
	})
}

type refusing struct{ idem.OrderStore }

func (refusing) Enter(context.Context, idem.EntityRequest) (idem.Entity, error) {
	return idem.Entity{}, errDown
}

// D2 with order: what could not be serialized is done again from the claim on.
func TestOrderConflicts(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		conflict := &pgconn.PgError{Severity: "ERROR", Code: "40001", Message: "could not serialize"}
		for i, call := range []string{"Enter", "Apply", "Complete"} {
			for _, stale := range []bool{false, true} {
				if stale && call == "Apply" {
					continue
				}
				w, left := newOrderWorker(t, db, true), 2
				entity := fmt.Sprint(i, stale)
				if stale {
					w.apply(entity, 9)
				}
				w.store = orderConflicts{w.store.(orderTxStore), call, conflict, &left}
				_, err := w.deliver(t.Context(), entity, 2, succeed)
				if left != 0 || stale != errors.Is(err, idem.ErrStale) || !stale && err != nil {
					t.Errorf("%s, stale %t: got %v, with %d conflicts left", call, stale, err, left)
				}
				left = 99
				if _, err := w.deliver(t.Context(), entity, 3, succeed); !errors.Is(err, conflict) {
					t.Errorf("%s for ever: got %v", call, err)
				}
			}
		}
		newTxWorker(t, db).want("after all", "none", 0)
	})
}

// orderTxStore is what the stores of this module are.
type orderTxStore interface {
	idem.TxStore
	idem.OrderStore
}

// orderConflicts is a store whose transactions conflict at a call.
type orderConflicts struct {
	orderTxStore
	call string
	err  error
	left *int
}

func (c orderConflicts) Conflicted(err error) bool { return errors.Is(err, c.err) }

func (c orderConflicts) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	rec, tx, err := c.orderTxStore.ClaimTx(ctx, req)
	if tx != nil {
		tx = orderConflictTx{tx.(orderTx), c}
	}
	return rec, tx, err
}

type orderTx interface {
	idem.Tx
	idem.Entities
}

type orderConflictTx struct {
	orderTx
	of orderConflicts
}

func (tx orderConflictTx) at(ctx context.Context, call string, do func() error) error {
	if tx.of.call != call || *tx.of.left == 0 {
		return do()
	}
	*tx.of.left--
	tx.Rollback(ctx)
	return tx.of.err
}

func (tx orderConflictTx) Enter(ctx context.Context, req idem.EntityRequest) (entity idem.Entity, err error) {
	err = tx.at(ctx, "Enter", func() error { entity, err = tx.orderTx.Enter(ctx, req); return err })
	return entity, err
}

func (tx orderConflictTx) Apply(ctx context.Context, token idem.EntityToken, version int64) error {
	return tx.at(ctx, "Apply", func() error { return tx.orderTx.Apply(ctx, token, version) })
}

func (tx orderConflictTx) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	return tx.at(ctx, "Complete", func() error { return tx.orderTx.Complete(ctx, token, outcome) })
}

// A handler that has ended its transaction, or swallowed an error in it, applies
// nothing, and the delivery is told.
func TestOrderTxMisused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newOrderWorker(t, db, true)
		statement := func(query string) func(context.Context, any) error {
			return func(ctx context.Context, tx any) error {
				_, _ = tx.(pgx.Tx).Exec(ctx, query)
				return nil
			}
		}
		misuses := map[string]func(context.Context, any) error{
			"ended its transaction by a statement": statement("COMMIT"),
			"a statement in its transaction had":   statement("INSERT INTO nowhere VALUES (1)"),
		}
		if db.Name() == "sqlite" {
			misuses = map[string]func(context.Context, any) error{
				"the handler has ended its transaction": func(_ context.Context, tx any) error { return tx.(*sql.Tx).Commit() },
			}
		}
		for says, misuse := range misuses {
			var err error
			order := depositOrder(says, 2)
			if db.Name() == "sqlite" {
				_, err = deliverTx(t.Context(), w.store, w.spec, depositKey(says, 2), func(ctx context.Context, tx *sql.Tx) (receipt, error) {
					return receipt{}, misuse(ctx, tx)
				}, order)
			} else {
				_, err = deliverTx(t.Context(), w.store, w.spec, depositKey(says, 2), func(ctx context.Context, tx pgx.Tx) (receipt, error) {
					return receipt{}, misuse(ctx, tx)
				}, order)
			}
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("got %v; want %q", err, says)
			}
			if n := db.Count(t, "SELECT count(version) FROM job_runs_order"); n != 0 {
				t.Errorf("%s: %d versions were applied", says, n)
			}
			w.wantRow(says, depositKey(says, 2), idem.StatusWaiting, 2, 0)
		}
	})
}
