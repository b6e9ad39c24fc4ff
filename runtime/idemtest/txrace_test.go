package idemtest_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
)

// payOnceWith is a wrapper of a transactional handler in the shape of a generated
// one.
func payOnceWith[T any](ctx context.Context, store idem.Store, e event, handle func(context.Context, T, event) (receipt, error)) (receipt, error) {
	key, err := notifyKey(e)
	if err != nil {
		return receipt{}, err
	}
	run, err := idem.ClaimTx[T, receipt](ctx, store, notifySpec, key, idem.WithFingerprint(notifyFingerprint(e)))
	if err != nil {
		return receipt{}, err
	}
	if stored, ok := run.Replay(); ok {
		return stored, nil
	}
	return run.Commit(func(ctx context.Context, tx T) (receipt, error) {
		return handle(ctx, tx, e)
	})
}

type (
	standIn   = func(context.Context) (receipt, error)
	txWrapper = func(ctx context.Context, store idem.Store, e event, handle standIn) (receipt, error)
)

func pay[T any](ctx context.Context, store idem.Store, e event, handle standIn) (receipt, error) {
	return payOnceWith(ctx, store, e, func(ctx context.Context, tx T, _ event) (receipt, error) {
		return handle(idemtest.WithTx(ctx, tx))
	})
}

// txSuites are those of the two kinds of transactions, each for its database.
func txSuites(t testing.TB) map[string]idemtest.Suite[receipt] {
	suites := map[string]idemtest.Suite[receipt]{}
	for _, open := range databases(t) {
		s := suite(t, notifySpec)
		s.Databases, s.Transactional = []idemtest.Opener{open}, true
		s.Deliver = delivering(pay[pgx.Tx])
		if open(nil).Name() == "sqlite" {
			s.Deliver = delivering(pay[*sql.Tx])
		}
		suites[open(nil).Name()] = s
	}
	return suites
}

func delivering(w txWrapper) func(context.Context, idem.Store, int, standIn) (receipt, error) {
	return func(ctx context.Context, store idem.Store, n int, handle standIn) (receipt, error) {
		return w(ctx, store, notifyArgs(n), handle)
	}
}

func TestRaceOfATransactionalHandler(t *testing.T) {
	for name, s := range txSuites(t) {
		t.Run(name, func(t *testing.T) {
			s.Real = func(t testing.TB, db idemtest.DB) *idemtest.Real[receipt] {
				db.Exec(t, "CREATE TABLE notifications (event text)")
				return &idemtest.Real[receipt]{
					Handle: func(ctx context.Context, n int) (receipt, error) {
						insert := "INSERT INTO notifications VALUES ('" + notifyArgs(n).ID + "')"
						if name == "sqlite" {
							_, err := idemtest.Tx[*sql.Tx](ctx).ExecContext(ctx, insert)
							return receipt{Sent: n}, err
						}
						_, err := idemtest.Tx[pgx.Tx](ctx).Exec(ctx, insert)
						return receipt{Sent: n}, err
					},
					Effects: func(n int) int {
						return db.Count(t, "SELECT count(*) FROM notifications WHERE event = $1", notifyArgs(n).ID)
					},
				}
			}
			idemtest.Race(t, s)
		})
	}
}

// What is wrong with a transactional wrapper or handler, and which scenario says
// so.
func TestBrokenTransactional(t *testing.T) {
	plain := func(ctx context.Context, store idem.Store, e event, handle standIn) (receipt, error) {
		return notifyOnceWith(notifySpec)(ctx, store, e, func(ctx context.Context, _ event) (receipt, error) { return handle(ctx) })
	}
	// own begins the handler's transaction itself, beside the claim.
	own := func(db idemtest.DB) txWrapper {
		return func(ctx context.Context, store idem.Store, e event, handle standIn) (receipt, error) {
			return plain(ctx, store, e, func(ctx context.Context) (got receipt, err error) {
				if db.Name() == "sqlite" {
					tx, _ := db.SQL().Begin()
					got, err = handle(idemtest.WithTx(ctx, tx))
					return got, errors.Join(err, tx.Commit())
				}
				conn, err := pgx.Connect(ctx, pgtest.URL(db))
				if err != nil {
					return got, err
				}
				defer func() { _ = conn.Close(ctx) }()
				tx, _ := conn.Begin(ctx)
				got, err = handle(idemtest.WithTx(ctx, tx))
				return got, errors.Join(err, tx.Commit(ctx))
			})
		}
	}
	for _, tt := range []struct {
		fault, scenarios, says string
		put                    func(idemtest.DB, txWrapper) txWrapper
	}{
		{"wrapper hands no transaction on", "twice at_once crash", "the handler got a transaction of type <nil>", func(idemtest.DB, txWrapper) txWrapper { return plain }},
		{"wrapper begins a transaction of its own", "crash", "the claim and the work have to be in one transaction", func(db idemtest.DB, _ txWrapper) txWrapper { return own(db) }},
		{"wrapper begins a transaction of its own", "error", "have to be in the transaction that the handler gets", func(db idemtest.DB, _ txWrapper) txWrapper { return own(db) }},
		{"wrapper tells no error", "crash lost_commit", "the wrapper reports success", func(_ idemtest.DB, right txWrapper) txWrapper {
			return func(ctx context.Context, store idem.Store, e event, handle standIn) (receipt, error) {
				got, _ := right(ctx, store, e, handle)
				return got, nil
			}
		}},
		{"wrapper runs the handler all the same", "late", "want *idem.InProgressError", func(_ idemtest.DB, right txWrapper) txWrapper {
			return func(ctx context.Context, store idem.Store, e event, handle standIn) (receipt, error) {
				got, err := right(ctx, store, e, handle)
				if errors.Is(err, idem.ErrInProgress) {
					return got, nil
				}
				return got, err
			}
		}},
	} {
		for name, s := range txSuites(t) {
			for scenario := range strings.FieldsSeq(tt.scenarios) {
				t.Run(tt.fault+"/"+name+"/"+scenario, func(t *testing.T) {
					db := s.Databases[0](t)
					right := pay[pgx.Tx]
					if name == "sqlite" {
						right = pay[*sql.Tx]
					}
					s.Deliver = delivering(tt.put(db, right))
					got := idemtest.Try(t, s, db, scenario)
					if !strings.Contains(got, tt.says) {
						t.Fatalf("the scenario ended with %q; want %q", got, tt.says)
					}
				})
			}
		}
	}
}
