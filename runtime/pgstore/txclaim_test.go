package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// D1, with the second claim surely waiting for the first.
func TestTxWaits(t *testing.T) {
	for _, redelivered := range []bool{false, true} {
		for _, taken := range []bool{false, true} {
			for _, end := range []string{"commit", "rollback"} {
				t.Run(fmt.Sprintf("%s, redelivered %t, taken %t", end, redelivered, taken), func(t *testing.T) {
					db := open(t)
					store := pgstore.New(pgtest.Pool(db), pgstore.WithClock(pgtest.Clock), pgstore.WithLockTimeout(time.Hour))
					attempt := 1
					if taken {
						must(t, store.Release(t.Context(), hold(t, store, "notify:1").Token(), idem.Release{Attempts: 3}))
						attempt = 2
					}
					first, tx, err := store.ClaimTx(t.Context(), request("notify:1"))
					must(t, err)
					req := request("notify:1")
					req.Redelivered = redelivered
					var rec idem.Record
					var second idem.Tx
					var wait sync.WaitGroup
					wait.Go(func() { rec, second, err = store.ClaimTx(t.Context(), req) })
					untilBlocked(t, db)
					want := idem.StatusRunning
					if end == "commit" {
						must(t, tx.Complete(t.Context(), first.Token(), idem.Outcome{Status: idem.StatusDone}))
						want = idem.StatusDone
					} else {
						tx.Rollback(t.Context())
					}
					wait.Wait()
					if err != nil || rec.Status != want || rec.Attempt != attempt || (second != nil) != (end == "rollback") {
						t.Errorf("got %+v, %v", rec, err)
					}
					if second != nil {
						second.Rollback(t.Context())
					}
				})
			}
		}
	}
}

// D2 in the claim: the statement that could not be serialized ends its
// transaction, and the claim goes on in another.
func TestTxConflictInTheClaim(t *testing.T) {
	for _, code := range []string{"40001", "40P01"} {
		db := open(t)
		db.Exec(t, `CREATE SEQUENCE tries`)
		db.Exec(t, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('tries') <= 2 THEN RAISE 'not now' USING ERRCODE = '`+code+`'; END IF; RETURN NEW; END $$`)
		db.Exec(t, `CREATE TRIGGER refuse BEFORE INSERT ON job_runs FOR EACH ROW EXECUTE FUNCTION refuse()`)
		store, pool, _ := watching(t, db)
		if result, err := notifyOnce(t.Context(), store, "notify:1", nothing); err != nil || result != 1 {
			t.Errorf("%s: got %d, %v", code, result, err)
		}
		if n := pool.Stat().AcquiredConns(); n > 0 || db.Count(t, "SELECT last_value FROM tries") != 3 {
			t.Errorf("%s: a connection is held, or the claim was not made three times", code)
		}
	}
}

// What the server refuses for good is told, and holds nothing.
func TestTxClaimRefused(t *testing.T) {
	db := open(t)
	store, pool, _ := watching(t, db)
	db.Exec(t, "ALTER TABLE job_runs RENAME TO elsewhere")
	_, err := notifyOnce(t.Context(), store, "notify:1", nothing)
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || !strings.Contains(err.Error(), "run the migrations") || pool.Stat().AcquiredConns() > 0 {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := notifyOnce(ctx, store, "notify:1", nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	pool.Close()
	if _, err := notifyOnce(t.Context(), store, "notify:1", nothing); err == nil {
		t.Error("a closed pool: no error")
	}
}

// A program with one connection, and one that gives the store a transaction.
func TestTxOtherDBs(t *testing.T) {
	db := open(t)
	conn := connectOne(t, db)
	store := pgstore.New(conn, pgstore.WithClock(pgtest.Clock))
	for key, want := range map[idem.Key]int{"notify:1": 1, "notify:2": 1} {
		for range 2 {
			if result, err := notifyOnce(t.Context(), store, key, nothing); err != nil || result != want {
				t.Errorf("one connection: got %d, %v", result, err)
			}
		}
	}
	if _, err := notifyOnce(t.Context(), pgstore.New(begin(t, db)), "notify:3", nothing); err == nil || !strings.Contains(err.Error(), "within a transaction") {
		t.Errorf("in a transaction: %v", err)
	}
}

// However pgx sends statements, also as a pool behind pgbouncer is set to.
func TestTxQueryModes(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			store := storeWith(t, open(t), func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode })
			no := errors.New("no")
			if _, err := notifyOnce(t.Context(), store, "notify:1", func(context.Context, pgx.Tx) (int, error) { return 0, no }); !errors.Is(err, no) {
				t.Errorf("an error: got %v", err)
			}
			for range 2 {
				if result, err := notifyOnce(t.Context(), store, "notify:1", nothing); err != nil || result != 1 {
					t.Errorf("got %d, %v", result, err)
				}
			}
		})
	}
}
