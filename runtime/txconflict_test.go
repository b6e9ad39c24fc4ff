package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// D2: what could not be serialized is done again, all of it, whoever says so; and
// not for ever.
func TestTxConflicts(t *testing.T) {
	for _, code := range []string{"40001", "40P01"} {
		t.Run(code, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db idemtest.DB) {
				w := newTxWorker(t, db)
				conflict := &pgconn.PgError{Severity: "ERROR", Code: code, Message: "could not serialize"}
				for _, where := range []string{"handler", "completion", "record"} {
					key, left := idem.Key("notify:"+where), 2
					inner := w.patient(time.Hour).(idem.TxStore)
					w.store = conflicting{inner, where, conflict, &left}
					handle := fine
					switch where {
					case "handler":
						handle = func(context.Context, func(string) error) (receipt, error) {
							if left > 0 {
								left--
								return receipt{}, idem.Permanent(fmt.Errorf("pay: %w", conflict))
							}
							return receipt{ID: "m"}, nil
						}
					case "record":
						handle = failing(errors.New("later"))
					}
					w.ran = 0
					_, err := w.deliver(t.Context(), key, handle)
					if left != 0 {
						t.Errorf("%s: %d conflicts did not come", where, left)
					}
					if where == "record" {
						w.wantRow(t, where, key, idem.StatusWaiting, 2, 0)
						w.want(where, key, 0)
						continue
					}
					if err != nil || w.ran != 3 {
						t.Errorf("%s: got %v after %d runs; want no error after 3", where, err, w.ran)
					}
					w.wantRow(t, where, key, idem.StatusDone, 1, 0)
					w.want(where, key, 1)
				}
				left := 99
				w.ran, w.store = 0, conflicting{w.patient(time.Hour).(idem.TxStore), "completion", conflict, &left}
				_, err := w.deliver(t.Context(), "notify:ever", fine)
				if !errors.Is(err, conflict) || w.ran != 5 {
					t.Errorf("for ever: got %v after %d runs; want the conflict after 5", err, w.ran)
				}
				w.wantRow(t, "for ever", "notify:ever", idem.StatusWaiting, 2, 0)
				w.want("for ever", "notify:ever", 0)
			})
		})
	}
}

// conflicting is a store whose transactions conflict in one place.
type conflicting struct {
	idem.TxStore
	where string
	err   error
	left  *int
}

func (c conflicting) Conflicted(err error) bool { return errors.Is(err, c.err) }

func (c conflicting) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	rec, tx, err := c.TxStore.ClaimTx(ctx, req)
	if tx != nil {
		tx = conflictingTx{tx, c}
	}
	return rec, tx, err
}

type conflictingTx struct {
	idem.Tx
	of conflicting
}

func (tx conflictingTx) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	return tx.conflict(ctx, "completion", func() error { return tx.Tx.Complete(ctx, token, outcome) })
}

func (tx conflictingTx) Release(ctx context.Context, token idem.Token, release idem.Release) error {
	return tx.conflict(ctx, "record", func() error { return tx.Tx.Release(ctx, token, release) })
}

func (tx conflictingTx) conflict(ctx context.Context, where string, end func() error) error {
	if tx.of.where != where || *tx.of.left == 0 {
		return end()
	}
	*tx.of.left--
	tx.Rollback(ctx)
	return tx.of.err
}
