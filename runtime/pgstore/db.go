package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// DB is what the store needs of pgx: a [*pgxpool.Pool], or a [*pgx.Conn] in
// a program that does one thing at a time. Prefer the pool: it also replaces
// a connection that breaks, over which nobody can ask what came of a claim.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Begin(ctx context.Context) (pgx.Tx, error)
}

var (
	_ DB = (*pgxpool.Pool)(nil)
	_ DB = (*pgxpool.Conn)(nil)
	_ DB = (*pgx.Conn)(nil)
)

// What SQLSTATE says, as far as the store acts upon it.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	completionUnknown    = "40003"
	undefinedTable       = "42P01"
)

// do runs one statement: by itself, and if the database could not serialize
// it, again in a transaction that asks for READ COMMITTED. Under REPEATABLE
// READ, which may be the default, a claim that loses to a concurrent one is
// an error instead of a duplicate.
func (r runs) do(ctx context.Context, statement func(DB) error) error {
	err := r.connected(ctx, statement)
	pauses := protocol.NewBackoff(time.Millisecond, 200*time.Millisecond, 12)
	for conflicted(err) && pauses.Wait(ctx) {
		err = r.connected(ctx, func(db DB) error { return readCommitted(ctx, db, statement) })
	}
	return err
}

// connected takes a connection first, where there is a pool, so that a
// statement that was never sent is known from one whose answer was lost.
func (r runs) connected(ctx context.Context, statement func(DB) error) error {
	switch db := r.db.(type) {
	case *pgxpool.Pool:
		conn, err := db.Acquire(ctx)
		if err != nil {
			return unsent(err)
		}
		defer conn.Release()
		return statement(conn)
	case *pgx.Conn:
		if db.IsClosed() { // by the program, or because it broke: it stays so
			return protocol.ErrClosed
		}
	}
	return statement(r.db)
}

func unsent(err error) error {
	if err.Error() == "closed pool" { // by its text: pgx does not export it
		return fmt.Errorf("%w: %w", protocol.ErrClosed, err)
	}
	return &protocol.UnsentError{Err: err}
}

func readCommitted(ctx context.Context, db DB, statement func(DB) error) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	// After a commit it does nothing; on a dead context it ends the connection.
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"); err != nil {
		return err
	}
	if err := statement(tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func conflicted(err error) bool {
	code := sqlState(err)
	return code == serializationFailure || code == deadlockDetected
}

func sqlState(err error) string {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code
	}
	return ""
}

// Fate implements [protocol.Table]. An error that the server sent for the
// statement means that nothing was done. One that ended the session says
// nothing: it can come between the commit and its answer.
func (r runs) Fate(err error) protocol.Fate {
	var pgErr *pgconn.PgError
	switch {
	case errors.Is(err, protocol.ErrClosed):
		return protocol.Refused
	case protocol.IsUnsent(err), pgconn.SafeToRetry(err):
		return protocol.Unsent
	case !errors.As(err, &pgErr), pgErr.Code == completionUnknown:
		return protocol.Unknown
	case pgErr.SeverityUnlocalized == "FATAL", pgErr.SeverityUnlocalized == "PANIC":
		return protocol.Unknown
	}
	return protocol.Refused
}

// explain says what to do about an error that a newcomer meets.
func (r runs) explain(err error) error {
	if sqlState(err) == undefinedTable {
		return fmt.Errorf("table %s is not there; run the migrations that idemgen generate wrote: %w", r.table, err)
	}
	return err
}
