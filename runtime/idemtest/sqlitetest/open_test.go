package sqlitetest_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/templates"
)

// migrations writes the migration of a table of runs.
func migrations(t testing.TB, table string) []string {
	t.Helper()
	up, down, err := templates.JobRuns("sqlite", table)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "00001_runs.sql")
	text := "-- +goose Up\n" + up + "\n-- +goose Down\n" + down
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{path}
}

func claim(t *testing.T, store idem.Store, key idem.Key, lease time.Duration) idem.Record {
	t.Helper()
	rec, err := store.Claim(context.Background(), idem.ClaimRequest{
		Key: key, Handler: "h", Owner: idem.NewOwner(), Lease: lease, Attempts: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestDatabasesAreSeparate(t *testing.T) {
	for _, table := range []string{"job_runs", "runs"} {
		open := sqlitetest.Open(sqlitetest.Config{Table: table, Migrations: migrations(t, table)})
		for range 2 {
			db := open(t)
			claim(t, db.Store(), "k", time.Minute)
			if n := db.Count(t, "SELECT count(*) FROM "+db.Table()+" WHERE key = $1", "k"); n != 1 {
				t.Fatalf("%d rows after one claim", n)
			}
		}
	}
}

func TestClock(t *testing.T) {
	db := sqlitetest.Open(sqlitetest.Config{Migrations: migrations(t, "job_runs")})(t)
	lease := time.Minute
	first := claim(t, db.Store(), "k", lease)
	if first.Remaining != lease {
		t.Errorf("a clock that stands still leaves %v of %v", first.Remaining, lease)
	}
	db.Advance(lease - time.Millisecond)
	if second := claim(t, db.Store(), "k", lease); second.Owner != first.Owner || second.Remaining != time.Millisecond {
		t.Errorf("a millisecond before the lease is over: %+v", second)
	}
	db.Advance(time.Microsecond) // rounded up, as leases are
	if third := claim(t, db.Store(), "k", lease); third.Attempt != 2 {
		t.Errorf("with the lease over: %+v", third)
	}
}

func TestRealClock(t *testing.T) {
	db := sqlitetest.Open(sqlitetest.Config{Migrations: migrations(t, "job_runs"), RealClock: true})(t)
	claim(t, db.Store(), "k", time.Minute)
	if n := db.Count(t, "SELECT count(*) FROM job_runs WHERE created_at > (unixepoch() - 3600) * 1000"); n != 1 {
		t.Error("the run is not of this hour")
	}
}

// A transaction that has begun is one that writes: others wait from then on,
// not from its first statement.
func TestTransactionsTakeTheirTurn(t *testing.T) {
	db := sqlitetest.Open(sqlitetest.Config{})(t)
	tx, err := db.SQL().Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	impatient, err := sql.Open("sqlite", strings.Replace(sqlitetest.DSN(db), "10000", "0", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer impatient.Close()
	if _, err := impatient.Exec("CREATE TABLE other (n int)"); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("got %v beside a transaction that has begun; want the database locked", err)
	}
}

// Transactions that read first and then write meet on one file, from several
// processes' connections: nobody is told that the database is locked.
func TestWritersWait(t *testing.T) {
	db := sqlitetest.Open(sqlitetest.Config{})(t)
	db.Exec(t, "CREATE TABLE counter (n int); INSERT INTO counter VALUES (0)")
	const writers, rounds = 8, 10
	var done sync.WaitGroup
	for range writers {
		done.Go(func() {
			other, err := sql.Open("sqlite", sqlitetest.DSN(db))
			if err != nil {
				t.Error(err)
				return
			}
			defer other.Close()
			for range rounds {
				if err := increment(other); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	if n := db.Count(t, "SELECT n FROM counter"); n != writers*rounds {
		t.Errorf("counted to %d; want %d", n, writers*rounds)
	}
}

func increment(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var n int
	if err := tx.QueryRow("SELECT n FROM counter").Scan(&n); err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE counter SET n = ?", n+1); err != nil {
		return err
	}
	return tx.Commit()
}

func TestOpenerWithoutATest(t *testing.T) {
	if name := sqlitetest.Open(sqlitetest.Config{})(nil).Name(); name != "sqlite" {
		t.Errorf("got %q", name)
	}
}

// refused is a test that Open fails.
type refused struct {
	testing.TB
	why string
}

func (r *refused) Fatalf(format string, args ...any) {
	r.why = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestTableWithASchema(t *testing.T) {
	open := sqlitetest.Open(sqlitetest.Config{Table: "jobs.job_runs", Migrations: migrations(t, "job_runs")})
	r := &refused{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		open(r)
	}()
	<-done
	if !strings.Contains(r.why, "jobs.job_runs") || !strings.Contains(r.why, "job_runs alone") {
		t.Errorf("got %q; want the table and the cure", r.why)
	}
}
