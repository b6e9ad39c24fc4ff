package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// DB is what the store needs of pgx: a [*pgxpool.Pool], or a [*pgx.Conn] or
// [*pgxpool.Conn] in a program that does one thing at a time, and delivers no batches.
// Prefer the pool: it also replaces a connection that breaks, over which nobody
// can ask what came of a claim.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Begin(ctx context.Context) (pgx.Tx, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

var (
	_ DB = (*pgxpool.Pool)(nil)
	_ DB = (*pgxpool.Conn)(nil)
	_ DB = (*pgx.Conn)(nil)
)

// conflictPatience is for statements that nobody asks for again. Another
// try hardly ever conflicts a second time.
const conflictPatience = 300 * time.Millisecond

// do runs one statement: by itself, and if the database could not serialize
// it, again in a transaction that asks for READ COMMITTED. Under REPEATABLE
// READ, which may be the default, a claim that loses to a concurrent one is
// an error instead of a duplicate.
func (r runs) do(ctx context.Context, statement func(DB) error) error {
	err := r.connected(ctx, statement)
	if !conflicted(err) {
		return err
	}
	if r.within() {
		return err // what conflicts has ended the transaction
	}
	pauses := protocol.NewBackoff(time.Millisecond, 50*time.Millisecond, conflictPatience)
	for conflicted(err) && pauses.Wait(ctx) {
		err = r.connected(ctx, func(db DB) error {
			return inTransaction(ctx, db, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED", statement)
		})
	}
	return err
}

// within reports whether the statements are those of a run's transaction, which the
// first of them begins.
func (r runs) within() bool {
	_, within := r.db.(*txDB)
	return within
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
	case *pgxpool.Conn:
		return unlessClosed(db.Conn(), db, statement)
	case *pgx.Conn:
		return unlessClosed(db, db, statement)
	}
	return statement(r.db)
}

// unlessClosed knows a connection that was closed, by the program or because
// it broke: it stays so.
func unlessClosed(conn *pgx.Conn, db DB, statement func(DB) error) error {
	if conn.IsClosed() {
		return protocol.ErrClosed
	}
	return statement(db)
}

func unsent(err error) error {
	if err.Error() == "closed pool" { // by its text: pgx does not export it
		return fmt.Errorf("%w: %w", protocol.ErrClosed, err)
	}
	return &protocol.UnsentError{Err: err}
}

// inTransaction runs a statement in a transaction of its own, which begins with a
// setting.
func inTransaction(ctx context.Context, db DB, set string, statement func(DB) error) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	// After a commit it does nothing; on a dead context it ends the connection.
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, set); err != nil {
		return err
	}
	if err := statement(tx); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return &commitError{err}
	}
	return nil
}

// commitError marks an error of a commit. In the simple protocol, pgx calls one
// whose answer was lost safe to retry.
type commitError struct{ err error }

func (e *commitError) Error() string { return e.err.Error() }
func (e *commitError) Unwrap() error { return e.err }

// explain says what to do about an error that a newcomer meets.
func (r runs) explain(err error) error {
	switch sqlState(err) {
	case undefinedTable:
		return fmt.Errorf("table %s is not there; run the migrations that idemgen generate wrote: %w", r.table, err)
	case insufficientPrivilege:
		return fmt.Errorf("the role needs more; the migration that makes table %s says in its comment what to grant: %w", r.table, err)
	}
	return err
}
