package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/internal/cluster"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// URLEnv names the server to use, instead of one of this package's own.
const URLEnv = "IDEMGEN_TEST_DATABASE_URL"

// Clock is the expression for [pgstore.WithClock] that reads the clock of a
// test. It is for stores that a test makes itself, in another process say.
const Clock = "(SELECT at FROM idem_clock)"

// Config says what a test's database holds.
type Config struct {
	// Table is the table of runs, job_runs if empty. The schema of a
	// qualified name is created, unless a migration does it.
	Table string
	// Migrations are files that migrate up, in order, in the layout of any
	// tool that idemgen writes for; relative to the test's directory.
	Migrations []string
	// RealClock lets the store read the database's own clock, which no
	// test can advance.
	RealClock bool
}

// Open returns an opener of databases.
func Open(c Config) idemtest.Opener {
	if c.Table == "" {
		c.Table = "job_runs"
	}
	return func(t testing.TB) idemtest.DB {
		if t == nil {
			return &database{}
		}
		t.Helper()
		return open(t, c)
	}
}

// Pool returns the connections of a database that this package opened. It
// closes them at the end of the test.
func Pool(db idemtest.DB) *pgxpool.Pool { return own(db).pool }

// URL returns the connection string of a database that this package opened.
func URL(db idemtest.DB) string { return own(db).url }

func own(db idemtest.DB) *database {
	d, ok := db.(*database)
	if !ok {
		panic(fmt.Sprintf("pgtest: a database of %s is not one of pgtest's", db.Name()))
	}
	return d
}

func open(t testing.TB, c Config) *database {
	t.Helper()
	s, err := shared()
	if errors.Is(err, cluster.ErrNoServer) {
		skip(t, os.Stderr, err)
	}
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	ctx := context.Background()
	url, err := s.clone(ctx, c)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	pool, err := connect(ctx, url)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		// Dropped first: it ends the connections that a failed test left busy,
		// for which Close would wait.
		err := s.drop(ctx, pool.Config().ConnConfig.Database)
		pool.Close()
		if err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	opts := []pgstore.Option{pgstore.WithTable(c.Table), pgstore.WithLockTimeout(lockTimeout)}
	if !c.RealClock {
		opts = append(opts, pgstore.WithClock(Clock))
	}
	return &database{t: t, config: c, url: url, pool: pool, store: pgstore.New(pool, opts...)}
}

// poolConns lets the deliveries of a race meet in the database, not in the
// queue for a connection.
const poolConns = 16

// lockTimeout is how long a test of a transactional handler waits for those that
// are told to come back.
const lockTimeout = 200 * time.Millisecond

func connect(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = poolConns
	return pgxpool.NewWithConfig(ctx, config)
}

var warn sync.Once

// skip skips the test, and says so once for all tests of the binary; or it
// fails the test in CI, where a skipped one would go unseen.
func skip(t testing.TB, stderr io.Writer, why error) {
	t.Helper()
	text := fmt.Sprintf("pgtest: %v; install the Postgres server or set %s", why, URLEnv)
	switch strings.ToLower(os.Getenv("CI")) {
	case "", "0", "false":
	default:
		t.Fatal(text)
	}
	warn.Do(func() { fmt.Fprintln(stderr, "SKIPPING the tests on Postgres: "+text) })
	t.Skip(text)
}
