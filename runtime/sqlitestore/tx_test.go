package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

func TestTransactions(t *testing.T) { storetest.RunTx(t, txHarness) }

func txHarness(t testing.TB) storetest.TxHarness {
	db := open(t)
	return storetest.TxHarness{
		Harness: storetest.Harness{Store: db.Store(), Advance: db.Advance, Table: db.Table(), Exec: db.Exec, Count: db.Count},
		TxStore: func(wait time.Duration) idem.TxStore {
			return sqlitestore.New(db.SQL(), sqlitestore.WithClock(sqlitetest.Clock), sqlitestore.WithLockTimeout(wait))
		},
		Work: func(tx idem.Tx, query string) error {
			_, err := tx.Handle().(*sql.Tx).Exec(query)
			return err
		},
		Idle: func() bool { return db.SQL().Stats().InUse == 0 },
	}
}

func deliverTx(ctx context.Context, store idem.Store, key idem.Key, handle func(context.Context, *sql.Tx) (int, error)) (int, error) {
	run, err := idem.ClaimTx[*sql.Tx, int](ctx, store, idem.Spec{Handler: "notify", Lease: time.Minute, Attempts: 3}, key)
	if err != nil {
		return 0, err
	}
	if result, ok := run.Replay(); ok {
		return result, nil
	}
	return run.Commit(handle)
}

// However a program opens its file, a claim has the write lock from the beginning:
// what the handler reads is not out of date when it writes.
func TestTxModes(t *testing.T) {
	for name, options := range map[string]string{
		"deferred": "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)", "immediate": "_txlock=immediate&_pragma=journal_mode(WAL)",
		"without patience": "_pragma=journal_mode(WAL)", "rollback journal": "_pragma=journal_mode(DELETE)",
	} {
		t.Run(name, func(t *testing.T) {
			db := openNew(t, options)
			_, err := db.Exec("CREATE TABLE counters (n INTEGER); INSERT INTO counters VALUES (0)")
			must(t, err)
			store := sqlitestore.New(db, sqlitestore.WithLockTimeout(time.Hour))
			const workers = 8
			var all sync.WaitGroup
			for i := range workers {
				all.Go(func() {
					for _, key := range []idem.Key{"notify:one", idem.Key(fmt.Sprint("notify:", i))} {
						_, err := deliverTx(t.Context(), store, key, func(ctx context.Context, tx *sql.Tx) (int, error) {
							var n int
							if err := tx.QueryRowContext(ctx, "SELECT n FROM counters").Scan(&n); err != nil {
								return 0, err
							}
							_, err := tx.ExecContext(ctx, "UPDATE counters SET n = ?", n+1)
							return n, err
						})
						if err != nil {
							t.Errorf("%s: %v", key, err)
						}
					}
				})
			}
			all.Wait()
			var n int
			must(t, db.QueryRow("SELECT n FROM counters").Scan(&n))
			if n != workers+1 || db.Stats().InUse > 0 {
				t.Errorf("the work was committed %d times; want %d; %d connections are held", n, workers+1, db.Stats().InUse)
			}
		})
	}
}

// The driver waits for no lock while the claim does; else it would wait for as long
// as it is told to, whatever the lock timeout. The connection goes back as it came,
// and is the program's own in the handler.
func TestTxBusyTimeout(t *testing.T) {
	db := openNew(t, "_pragma=busy_timeout(1234)")
	db.SetMaxOpenConns(1)
	// A clock that shows what the connection is set to.
	store := sqlitestore.New(db, sqlitestore.WithClock("(SELECT timeout FROM pragma_busy_timeout)"))
	var claiming, within, completing, after int
	_, err := deliverTx(t.Context(), store, "notify:1", func(_ context.Context, tx *sql.Tx) (int, error) {
		return 0, tx.QueryRow("PRAGMA busy_timeout").Scan(&within)
	})
	must(t, err)
	must(t, db.QueryRow("PRAGMA busy_timeout").Scan(&after))
	must(t, db.QueryRow("SELECT created_at, completed_at FROM job_runs").Scan(&claiming, &completing))
	if claiming != 0 || within != 1234 || completing != 1234 || after != 1234 {
		t.Errorf("busy_timeout is %d in the claim, %d in the handler, %d in the completion and %d after it; want 0 and then 1234",
			claiming, within, completing, after)
	}
}

// A reader keeps a commit from being made, where there is no WAL: all of it is
// done again.
func TestTxBusyCommit(t *testing.T) {
	db := openNew(t, "_pragma=journal_mode(DELETE)")
	reader, err := db.BeginTx(t.Context(), nil)
	must(t, err)
	ran := 0
	_, err = deliverTx(t.Context(), sqlitestore.New(db), "notify:1", func(context.Context, *sql.Tx) (int, error) {
		if ran++; ran > 1 {
			return ran, reader.Rollback()
		}
		var n int
		return ran, reader.QueryRow("SELECT count(*) FROM job_runs").Scan(&n)
	})
	if err != nil || ran != 2 {
		t.Errorf("got %v after %d runs; want no error after 2", err, ran)
	}
}

// A statement that is interrupted has SQLite end the transaction: nothing that a
// handler does after that is taken for done.
func TestTxInterrupted(t *testing.T) {
	db := openNew(t, "_pragma=journal_mode(WAL)")
	_, err := db.Exec("CREATE TABLE work (n INTEGER)")
	must(t, err)
	store := sqlitestore.New(db)
	_, err = deliverTx(t.Context(), store, "notify:1", func(ctx context.Context, tx *sql.Tx) (int, error) {
		if _, err := tx.ExecContext(ctx, "INSERT INTO work VALUES (1)"); err != nil {
			return 0, err
		}
		ctx, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
		defer cancel()
		_, err := tx.ExecContext(ctx, `INSERT INTO work
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`)
		if err == nil {
			return 0, errors.New("it was not interrupted")
		}
		return 0, nil
	})
	var n int
	must(t, db.QueryRow("SELECT count(*) FROM work").Scan(&n))
	if rec, lookErr := store.Lookup(t.Context(), "notify:1"); err == nil || n > 0 || lookErr != nil || rec.Status != idem.StatusWaiting || rec.Attempt != 2 {
		t.Errorf("got %v, %d rows of the work; the row is %+v, %v", err, n, rec, lookErr)
	}
}

func openNew(t *testing.T, options string) *sql.DB {
	t.Helper()
	query := "?" + options
	return openFile(t, newFile(t, query), query)
}
