package pgstore_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// What a server refuses only for now, as in a failover or when it is short of
// something, must not cost a finished result.
func TestErrorsThatPass(t *testing.T) {
	codes := []string{"0A000", "25006", "26000", "40000", "40002", "53100", "53200", "53300", "55P03", "57014", "58030"}
	for _, code := range codes {
		t.Run(code, func(t *testing.T) {
			var left int
			store := pgstore.New(conflicting{pgtest.Pool(open(t)), code, &left, nil})
			refuseTwice := func() {
				t.Helper()
				if left != 0 {
					t.Fatal("the statement before did not come")
				}
				left = 2
			}
			ctx := t.Context()

			refuseTwice()
			held := hold(t, store, "notify:1")
			refuseTwice()
			must(t, store.Extend(ctx, held.Token(), lease))
			refuseTwice()
			must(t, store.Release(ctx, held.Token(), idem.Release{Attempts: 3}))
			held = hold(t, store, "notify:1")
			refuseTwice()
			must(t, store.Complete(ctx, held.Token(), idem.Outcome{Status: idem.StatusDone}))
		})
	}
}

// What is wrong with the statement, or with the table, stays so.
func TestErrorsThatStay(t *testing.T) {
	db := open(t)
	held := hold(t, db.Store(), "notify:1")
	for _, code := range []string{"22021", "23514", "42501", "42P01", "P0001", "XX000"} {
		left := 1
		store := pgstore.New(conflicting{pgtest.Pool(db), code, &left, nil})
		err := store.Complete(t.Context(), held.Token(), idem.Outcome{Status: idem.StatusDone})
		var pgErr *pgconn.PgError
		if !errors.As(err, &pgErr) || pgErr.Code != code {
			t.Errorf("%s: got %v", code, err)
		}
	}
}

// A migration beside a worker: the statement that pgx has prepared is of no
// use any more, and Postgres says so once.
func TestRetypedColumn(t *testing.T) {
	db := open(t)
	conn := connectOne(t, db)
	store := pgstore.New(conn)
	hold(t, store, "notify:1")
	db.Exec(t, `DROP VIEW job_runs_text`)
	db.Exec(t, `ALTER TABLE job_runs ALTER COLUMN handler TYPE varchar(300)`)
	hold(t, store, "notify:2")
}

// A claim waits for a lock, is granted, and is cancelled when its lease is to
// be renewed, before it has a connection for that.
func TestClaimGrantedAndThenWithoutAConnection(t *testing.T) {
	for _, b := range blockages {
		t.Run(b.name, func(t *testing.T) {
			db := open(t)
			tx := b.begin(t, db)
			ctx, cancel := context.WithCancel(t.Context())
			var next atomic.Bool // connection is not to be had
			pool := connect(t, db, func(c *pgxpool.Config) {
				c.PrepareConn = func(context.Context, *pgx.Conn) (bool, error) {
					if next.CompareAndSwap(true, false) {
						cancel()
						return true, context.Canceled
					}
					return true, nil
				}
			})
			clocked(t, db)
			req := request("notify:1")
			req.Redelivered = true // so that it is the granting statement that waits
			wait := claimInBackground(ctx, pgstore.New(pool, pgstore.WithClock("test_now()")), req)
			untilBlocked(t, db)
			db.Advance(lease / 2)
			next.Store(true)
			must(t, tx.Rollback(t.Context()))
			if rec, err := wait(); !errors.Is(err, context.Canceled) || next.Load() {
				t.Errorf("got %+v, %v, want context.Canceled", rec, err)
			}
			hold(t, db.Store(), "notify:1")
		})
	}
}
