package sqlitetest

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/internal/migration"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
)

// Clock is the expression for [sqlitestore.WithClock] that reads the clock of
// a test. It is for stores that a test makes itself, in another process say.
const Clock = "(SELECT at FROM idem_clock)"

// The clock stands on a day that is not today (2001-02-03 04:05:06 UTC), so
// that a statement which reads another clock is seen.
const createClock = `
CREATE TABLE idem_clock (at INTEGER NOT NULL);
INSERT INTO idem_clock VALUES (981173106000);`

// Config says what a test's database holds.
type Config struct {
	// Table is the table of runs, job_runs if empty. It has no schema.
	Table string
	// Migrations are files that migrate up, in order, in the layout of any
	// tool that idemgen writes for; relative to the test's directory.
	Migrations []string
	// RealClock lets the store read the computer's clock, which no test can
	// advance.
	RealClock bool
}

// Open returns an opener of databases: a file each, in the test's temporary
// directory.
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

// DSN returns the data source name of a database that this package opened,
// for the driver called sqlite.
func DSN(db idemtest.DB) string {
	d, ok := db.(*database)
	if !ok {
		panic(fmt.Sprintf("sqlitetest: a database of %s is not one of sqlitetest's", db.Name()))
	}
	return d.dsn
}

func open(t testing.TB, c Config) *database {
	t.Helper()
	if _, table, qualified := strings.Cut(c.Table, "."); qualified {
		t.Fatalf("sqlitetest: table %s: SQLite has no schemas; name it %s alone", c.Table, table)
	}
	dsn := fileDSN(filepath.Join(t.TempDir(), "test.db"))
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatalf("sqlitetest: %v", err)
	}
	t.Cleanup(func() { _ = db.Close() }) // before the directory goes
	if err := setUp(db, c); err != nil {
		t.Fatalf("sqlitetest: %v", err)
	}
	opts := []sqlitestore.Option{sqlitestore.WithTable(c.Table), sqlitestore.WithLockTimeout(lockTimeout)}
	if !c.RealClock {
		opts = append(opts, sqlitestore.WithClock(Clock))
	}
	return &database{t: t, config: c, dsn: dsn, sql: db, store: sqlitestore.New(db, opts...)}
}

// lockTimeout is how long a test of a transactional handler waits for those that
// are told to come back.
const lockTimeout = 200 * time.Millisecond

func setUp(db *sql.DB, c Config) error {
	if _, err := db.Exec(createClock); err != nil {
		return err
	}
	for _, path := range c.Migrations {
		text, err := migration.Read(path)
		if err != nil {
			return err
		}
		if _, err := db.Exec(text); err != nil {
			return fmt.Errorf("migration %s: %w", path, err)
		}
	}
	return nil
}

// fileDSN is how a program should open its file, too, but for synchronous:
// writers wait for each other, and a transaction takes its turn at the
// beginning, because one that reads first and then writes is refused without
// waiting. synchronous(NORMAL) is for tests, which it makes faster: a power cut
// may lose a completion that was acknowledged. A program leaves it at FULL,
// the default.
func fileDSN(path string) string {
	options := url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock": {"immediate"},
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: options.Encode()}).String()
}
