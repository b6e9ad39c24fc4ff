package idemtest

import (
	"context"
	"database/sql"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// Opener makes an empty database with the migrations applied. It lives as
// long as the test that it is given. pgtest.Open and sqlitetest.Open return
// one.
//
// Given a nil t it opens nothing, and of the DB that it returns only Name may
// be called: [Race] names its subtests by it before it has a database.
type Opener func(t testing.TB) DB

// DB is a database of one test.
type DB interface {
	Name() string // postgres, sqlite
	// Store keeps runs in this database, by the test's clock.
	Store() idem.Store
	// Table is the name of the table of runs.
	Table() string
	// Advance moves the clock that the store reads. Nothing else moves it.
	Advance(d time.Duration)
	// Exec runs statements, in the database's own dialect.
	Exec(t testing.TB, query string, args ...any)
	// ExecTx runs a statement in a transaction of the type that handlers of this
	// database take.
	ExecTx(ctx context.Context, tx any, query string, args ...any) error
	// Count returns the one number that a query yields.
	Count(t testing.TB, query string, args ...any) int
	// SQL is for handlers that work on the database themselves.
	SQL() *sql.DB
}
