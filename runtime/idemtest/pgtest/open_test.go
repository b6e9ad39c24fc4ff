package pgtest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/internal/runstable"
)

func migrations(t testing.TB, table string) []string {
	t.Helper()
	return []string{runstable.Migration(t, "postgres", table)}
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
	for _, table := range []string{"job_runs", "ops.runs"} {
		open := pgtest.Open(pgtest.Config{Table: table, Migrations: migrations(t, table)})
		for range 2 {
			t.Run(table, func(t *testing.T) {
				t.Parallel()
				db := open(t)
				if n := db.Count(t, "SELECT count(*) FROM "+db.Table()); n != 0 {
					t.Fatalf("%d rows in a new database", n)
				}
				claim(t, db.Store(), "k", time.Minute)
				if n := db.Count(t, "SELECT count(*) FROM "+db.Table()+" WHERE key = $1", "k"); n != 1 {
					t.Fatalf("%d rows after a claim", n)
				}
			})
		}
	}
}

func TestSchemaOfAMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "1.sql")
	if err := os.WriteFile(path, []byte("CREATE SCHEMA ops;\nCREATE TABLE ops.mine (n int);"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := pgtest.Open(pgtest.Config{Table: "ops.runs", Migrations: append([]string{path}, migrations(t, "ops.runs")...)})(t)
	db.Exec(t, "INSERT INTO ops.mine VALUES ($1)", 7)
	var n int
	if err := db.SQL().QueryRow("SELECT n FROM ops.mine").Scan(&n); err != nil || n != 7 {
		t.Fatalf("got %d, %v", n, err)
	}
}

func TestClock(t *testing.T) {
	db := pgtest.Open(pgtest.Config{Migrations: migrations(t, "job_runs")})(t)
	lease := time.Minute
	first := claim(t, db.Store(), "k", lease)
	if first.Remaining != lease {
		t.Errorf("a clock that stands still leaves %v of %v", first.Remaining, lease)
	}
	db.Advance(lease - time.Microsecond)
	if second := claim(t, db.Store(), "k", lease); second.Owner != first.Owner || second.Remaining != time.Microsecond {
		t.Errorf("a microsecond before the lease is over: %+v", second)
	}
	db.Advance(time.Nanosecond) // rounded up, as leases are
	if third := claim(t, db.Store(), "k", lease); third.Attempt != 2 {
		t.Errorf("with the lease over: %+v", third)
	}
}

func TestRealClock(t *testing.T) {
	db := pgtest.Open(pgtest.Config{Migrations: migrations(t, "job_runs"), RealClock: true})(t)
	claim(t, db.Store(), "k", time.Minute)
	if n := db.Count(t, "SELECT count(*) FROM job_runs WHERE created_at > clock_timestamp() - interval '1 hour'"); n != 1 {
		t.Error("the run is not of this hour")
	}
}

func TestClusterOutlivesTheGarbageCollector(t *testing.T) {
	db := pgtest.Open(pgtest.Config{Migrations: migrations(t, "job_runs")})(t)
	for range 3 {
		runtime.GC() // finalizers run after one, files close after the next
	}
	db.Count(t, "SELECT 1")
}

func TestPool(t *testing.T) {
	db := pgtest.Open(pgtest.Config{Migrations: migrations(t, "job_runs")})(t)
	var name string
	if err := pgtest.Pool(db).QueryRow(context.Background(), "SELECT current_database()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(pgtest.URL(db), name) {
		t.Errorf("the pool is of %s, the URL is %s", name, pgtest.URL(db))
	}
	if _, err := db.Store().Lookup(context.Background(), "k"); !errors.Is(err, idem.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestOpenerWithoutATest(t *testing.T) {
	if name := pgtest.Open(pgtest.Config{})(nil).Name(); name != "postgres" {
		t.Errorf("got %q", name)
	}
}
