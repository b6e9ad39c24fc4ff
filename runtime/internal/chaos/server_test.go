package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/internal/cluster"
	"github.com/idemgen/idemgen/runtime/internal/runstable"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/templates"
)

// postgres is the server of this test binary, which its tests crash. What it has
// committed, it has after that: the operating system does not crash.
var postgres = sync.OnceValues(func() (*cluster.Cluster, error) {
	bin, err := cluster.Find()
	if err != nil {
		return nil, err
	}
	return cluster.Start(bin, 300, "synchronous_commit=on")
})

func theServer(t testing.TB) *cluster.Cluster {
	t.Helper()
	c, err := postgres()
	if err != nil {
		missing(t, fmt.Sprintf("Postgres: %v", err))
	}
	return c
}

// missing skips a test that lacks something, or fails it in CI, where a skipped
// one would go unseen.
func missing(t testing.TB, what string) {
	t.Helper()
	switch strings.ToLower(os.Getenv("CI")) {
	case "", "0", "false":
	default:
		t.Fatalf("there is no %s", what)
	}
	fmt.Fprintf(os.Stderr, "SKIPPING %s: there is no %s\n", t.Name(), what)
	t.Skip("there is no " + what)
}

// database is what a scenario's runs are in, as the test itself gets at it:
// directly, whatever is between it and the workers.
type database struct {
	*sql.DB
	dialect string
	name    string // on the server, or the file's data source
	store   idem.TxStore
	clock   string // the SQL expression that yields the time
	millis  string // the same in milliseconds
	idle    string // counts what others have under way, if anybody can
}

const createWork = "CREATE TABLE work (event text)"

var databases atomic.Int32

// newPostgres makes a database. Options are for the test's own store.
func newPostgres(t testing.TB, options ...pgstore.Option) *database {
	t.Helper()
	c, ctx := theServer(t), context.Background()
	admin, err := pgx.Connect(ctx, c.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close(ctx) }()
	name := fmt.Sprintf("chaos%d", databases.Add(1))
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(ctx, strings.Replace(c.URL, "/postgres?", "/"+name+"?", 1))
	if err != nil {
		t.Fatal(err)
	}
	up, _, err := templates.JobRuns("postgres", "job_runs")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, up+";"+createWork); err != nil {
		t.Fatal(err)
	}
	db := &database{
		DB: stdlib.OpenDBFromPool(pool), dialect: "postgres", name: name,
		store: pgstore.New(pool, options...),
		clock: "clock_timestamp()", millis: "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
		idle: "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'",
	}
	t.Cleanup(func() {
		_ = db.Close()
		pool.Close()
	})
	return db
}

func newSQLite(t testing.TB) *database {
	t.Helper()
	db := sqlitetest.Open(sqlitetest.Config{Migrations: []string{runstable.Migration(t, "sqlite", "job_runs")}, RealClock: true})(t)
	db.Exec(t, createWork)
	const clock = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
	return &database{
		DB: db.SQL(), dialect: "sqlite", name: sqlitetest.DSN(db), store: db.Store().(idem.TxStore), clock: clock, millis: clock,
	}
}

// number runs a query that yields one.
func (db *database) number(query string) (n int64, err error) {
	err = db.QueryRowContext(context.Background(), query).Scan(&n)
	return n, err
}

// running counts runs that are running.
func (db *database) running() (int64, error) {
	return db.number("SELECT count(*) FROM job_runs WHERE status = 'running'")
}

// held counts runs that nobody can claim yet.
func (db *database) held() (int64, error) {
	return db.number("SELECT count(*) FROM job_runs WHERE status IN ('running', 'waiting') AND due > " + db.clock)
}

// exec runs a statement.
func (db *database) exec(t testing.TB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Fatalf("%v\nin: %s", err, statement)
	}
}
