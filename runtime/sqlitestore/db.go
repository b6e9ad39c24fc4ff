package sqlitestore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// lockPatience is how long a statement waits for a lock by itself: while the
// file is locked, others get on, and on a slow machine that has many writers
// the last of them waits for seconds. Claims and writes are asked for again
// after that, by package protocol; the others are not.
const lockPatience = 30 * time.Second

// querier is a connection, or a transaction on one.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// do runs one statement, and runs it again while another connection has the
// file locked: nothing was done then.
func (r runs) do(ctx context.Context, statement func(querier) error) error {
	if r.among != nil {
		return statement(r.among)
	}
	pauses := protocol.NewBackoff(time.Millisecond, 50*time.Millisecond, lockPatience)
	for {
		err := r.connected(ctx, statement)
		if !locked(err) {
			return err
		}
		if !pauses.Wait(ctx) {
			if ended := ctx.Err(); ended != nil {
				err = fmt.Errorf("%w: %w", ended, err)
			}
			return &protocol.UnsentError{Err: err}
		}
	}
}

// connected takes a connection first, so that a statement that was never
// sent is known from one whose answer was lost.
func (r runs) connected(ctx context.Context, statement func(querier) error) error {
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return unsent(err)
	}
	defer func() { _ = conn.Close() }() // back to the pool
	return statement(conn)
}

func unsent(err error) error {
	if err.Error() == "sql: database is closed" { // by its text: database/sql does not export it
		return fmt.Errorf("%w: %w", protocol.ErrClosed, err)
	}
	return &protocol.UnsentError{Err: err}
}

// explain says what to do about an error that a newcomer meets.
func (r runs) explain(err error) error {
	if err != nil && strings.Contains(err.Error(), "no such table") {
		return fmt.Errorf("table %s is not there; run the migrations that idemgen generate wrote: %w", r.table, err)
	}
	return err
}
