package main

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
)

//go:embed migrations
var migrations embed.FS

// notifications is the shop's own table. Each row is a message that went out.
const notifications = `
CREATE TABLE notifications (
    message_id        text NOT NULL PRIMARY KEY,
    external_event_id text NOT NULL
)`

// Database is where the shop keeps its table, and the store its runs.
type Database struct {
	Name    string
	DB      *sql.DB
	Store   idem.Store
	advance string // moves the clock by milliseconds
	close   []func() error
}

// Advance moves the clock, so that nobody has to wait for a lease to run out.
// A program that is no demonstration leaves the clock to the database.
func (d *Database) Advance(by time.Duration) error {
	_, err := d.DB.Exec(d.advance, by.Milliseconds())
	return err
}

// Close closes the database and removes what the demonstration left in it.
func (d *Database) Close() error {
	var errs []error
	for _, f := range d.close {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// setUp makes the tables.
func (d *Database) setUp(dialect, clock string) error {
	for _, statements := range []string{clock, notifications} {
		if _, err := d.DB.Exec(statements); err != nil {
			return err
		}
	}
	files, err := fs.Glob(migrations, "migrations/"+dialect+"/*.up.sql")
	if err != nil {
		return err
	}
	for _, name := range files {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := d.DB.Exec(string(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// demoClock reads a clock that stands still unless Advance moves it.
const demoClock = "(SELECT at FROM demo_clock)"

// openSQLite makes a file of its own.
func openSQLite() (*Database, error) {
	dir, err := os.MkdirTemp("", "idemgen-quickstart-")
	if err != nil {
		return nil, err
	}
	// Writers wait for each other, and a transaction takes its turn at the
	// beginning.
	dsn := "file:" + filepath.ToSlash(filepath.Join(dir, "shop.db")) +
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_txlock=immediate"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	d := &Database{
		Name:    "SQLite",
		DB:      db,
		Store:   sqlitestore.New(db, sqlitestore.WithClock(demoClock)),
		advance: "UPDATE demo_clock SET at = at + $1",
		close:   []func() error{db.Close, func() error { return os.RemoveAll(dir) }},
	}
	const clock = "CREATE TABLE demo_clock (at INTEGER); INSERT INTO demo_clock SELECT unixepoch() * 1000"
	return d.ready(d.setUp("sqlite", clock))
}

// schema is what the demonstration takes for itself in a Postgres database.
const schema = "idemgen_quickstart"

// openPostgres makes a schema of its own in the database of the URL.
func openPostgres(ctx context.Context, url string) (*Database, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["search_path"] = schema
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDBFromPool(pool)
	d := &Database{
		Name:    "Postgres",
		DB:      db,
		Store:   pgstore.New(pool, pgstore.WithClock(demoClock)),
		advance: "UPDATE demo_clock SET at = at + $1 * interval '1 millisecond'",
	}
	drop := func() error {
		_, err := db.Exec("DROP SCHEMA IF EXISTS " + schema + " CASCADE")
		return err
	}
	d.close = []func() error{drop, db.Close, func() error { pool.Close(); return nil }}
	if err := drop(); err != nil { // what a killed demonstration left
		return d.ready(err)
	}
	const clock = "CREATE SCHEMA " + schema + "; CREATE TABLE demo_clock (at timestamptz); INSERT INTO demo_clock SELECT date_trunc('second', now())"
	return d.ready(d.setUp("postgres", clock))
}

// ready returns the database, or closes it if it could not be set up.
func (d *Database) ready(err error) (*Database, error) {
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}
