package pgstore_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// committedThen commits the next statement and then answers with an error.
type committedThen struct {
	pgstore.DB
	err *error
}

func (c committedThen) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	tag, err := c.DB.Exec(ctx, sql, args...)
	if err == nil {
		err, *c.err = *c.err, nil
	}
	return tag, err
}

func (c committedThen) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return rowFunc(func(dest ...any) error {
		err := c.DB.QueryRow(ctx, sql, args...).Scan(dest...)
		if err == nil {
			err, *c.err = *c.err, nil
		}
		return err
	})
}

// The server's own errors that do not mean that nothing was done: a session
// that was ended may have committed before. Nor do those of a pooler, which
// lost the server; it sends no severity but the one for people to read.
func TestErrorsThatLeaveTheOutcomeOpen(t *testing.T) {
	for _, pgErr := range []*pgconn.PgError{
		{Code: "57P01", Severity: "FATAL", SeverityUnlocalized: "FATAL"},
		{Code: "57P02", Severity: "PANIC", SeverityUnlocalized: "PANIC"},
		{Code: "57P01", Severity: "ERROR", SeverityUnlocalized: "ERROR"},
		{Code: "40003", Severity: "ERROR", SeverityUnlocalized: "ERROR"},
		{Code: "08006", Severity: "ERROR", SeverityUnlocalized: "ERROR"},
		{Code: "08007", Severity: "ERROR", SeverityUnlocalized: "ERROR"},
		{Code: "08P01", Severity: "FATAL"},
		{Code: "08P01", Severity: "ERROR"},
		{Code: "XX000", Severity: "FATAL"},
		{Code: "XX000", Severity: "TODLICH", SeverityUnlocalized: "FATAL"},
		{Code: "", Severity: "ERROR"},
	} {
		t.Run(pgErr.Severity+" "+pgErr.Code, func(t *testing.T) {
			next := error(pgErr)
			store := pgstore.New(committedThen{pgtest.Pool(open(t)), &next})
			held := hold(t, store, "notify:1")
			next = pgErr
			must(t, store.Extend(t.Context(), held.Token(), lease))
			next = pgErr
			must(t, store.Release(t.Context(), held.Token(), idem.Release{Attempts: 3}))
			held = hold(t, store, "notify:1")
			next = pgErr
			must(t, store.Complete(t.Context(), held.Token(), idem.Outcome{Status: idem.StatusDone}))
		})
	}
}

// What the server refused is the caller's to know at once.
func TestErrorsOfTheServerAreReturned(t *testing.T) {
	db := open(t)
	store := db.Store()
	held := hold(t, store, "notify:1")
	err := store.Complete(t.Context(), held.Token(), idem.Outcome{Status: idem.StatusFailed, Error: "\x00"})
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != "22021" {
		t.Errorf("got %v, want 22021: text cannot hold NUL", err)
	}
	if rec, err := store.Lookup(t.Context(), "notify:1"); err != nil || rec.Token() != held.Token() {
		t.Errorf("then found %+v, %v", rec, err)
	}
}

// A claim that gave up waiting for a connection was never sent: there is
// nothing to find out, and no connection to be waited for again.
func TestClaimWithoutAConnection(t *testing.T) {
	db := open(t)
	pool := connect(t, db, func(c *pgxpool.Config) { c.MaxConns = 1 })
	conn, err := pool.Acquire(t.Context())
	must(t, err)
	defer conn.Release()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if rec, err := pgstore.New(pool).Claim(ctx, request("notify:1")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %+v, %v", rec, err)
	}
	if n := pool.Stat().CanceledAcquireCount(); n != 1 {
		t.Errorf("waited for a connection %d times", n)
	}
}

// The database's own clock, with no test to hold it still.
func TestOwnClock(t *testing.T) {
	store := pgstore.New(pgtest.Pool(open(t)))
	before := time.Now()
	req := request("notify:1")
	rec, err := store.Claim(t.Context(), req)
	must(t, err)
	again, err := store.Lookup(t.Context(), "notify:1")
	must(t, err)
	if !rec.HeldBy(req.Owner) || again.Remaining > lease || again.Remaining < lease-time.Since(before) {
		t.Errorf("claimed %+v, and then found %+v", rec, again)
	}
}

// Nothing comes of asking a pool again that the program has closed.
func TestClosed(t *testing.T) {
	db := open(t)
	pool := connect(t, db, func(*pgxpool.Config) {})
	pool.Close()
	conn, err := pgx.Connect(t.Context(), pgtest.URL(db))
	must(t, err)
	must(t, conn.Close(t.Context()))
	pooled, err := pgtest.Pool(db).Acquire(t.Context())
	must(t, err)
	defer pooled.Release()
	must(t, pooled.Conn().Close(t.Context()))
	for _, closed := range []pgstore.DB{pool, conn, pooled} {
		// Under synctest no time passes unless somebody sleeps.
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := pgstore.New(closed).Claim(t.Context(), request("notify:1"))
			if err == nil || time.Since(start) > 0 {
				t.Errorf("%T: got %v after %v", closed, err, time.Since(start))
			}
		})
	}
}
