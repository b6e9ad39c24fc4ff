package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// What SQLite's primary result codes say, as far as the store acts upon them.
const (
	codeBusy      = 5
	codeLocked    = 6
	codeInterrupt = 9
	codeIOErr     = 10
)

// do runs one statement, and runs it again for as long as another connection
// has the file locked: nothing was done then.
func (r runs) do(ctx context.Context, statement func(*sql.Conn) error) error {
	pauses := protocol.NewBackoff(time.Millisecond, 50*time.Millisecond, math.MaxInt)
	for {
		err := r.connected(ctx, statement)
		if !locked(err) {
			return err
		}
		if !pauses.Wait(ctx) {
			return &protocol.UnsentError{Err: fmt.Errorf("%w: %w", ctx.Err(), err)}
		}
	}
}

// connected takes a connection first, so that a statement that was never
// sent is known from one whose answer was lost.
func (r runs) connected(ctx context.Context, statement func(*sql.Conn) error) error {
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

// locked reports whether an error is SQLITE_BUSY or SQLITE_LOCKED, from
// whichever driver.
func locked(err error) bool {
	if err == nil {
		return false
	}
	if code, ok := resultCode(err); ok {
		return code == codeBusy || code == codeLocked
	}
	text := err.Error()
	return strings.Contains(text, "database is locked") || strings.Contains(text, "database table is locked") ||
		strings.Contains(text, "SQLITE_BUSY") || strings.Contains(text, "SQLITE_LOCKED")
}

// resultCode returns the primary result code of an error whose driver tells.
func resultCode(err error) (int, bool) {
	var coded interface{ Code() int }
	if errors.As(err, &coded) {
		return coded.Code() & 0xff, true
	}
	return 0, false
}

// Fate implements [protocol.Table]. The engine's error for a statement means
// that nothing was done, unless the statement was interrupted or its commit
// met the disk. Of what a driver says without a code, nothing is known.
func (r runs) Fate(err error) protocol.Fate {
	switch {
	case errors.Is(err, protocol.ErrClosed):
		return protocol.Refused
	case protocol.IsUnsent(err):
		return protocol.Unsent
	}
	code, ok := resultCode(err)
	if !ok || code == codeInterrupt || code == codeIOErr {
		return protocol.Unknown
	}
	return protocol.Refused
}

// explain says what to do about an error that a newcomer meets.
func (r runs) explain(err error) error {
	if err != nil && strings.Contains(err.Error(), "no such table") {
		return fmt.Errorf("table %s is not there; run the migrations that idemgen generate wrote: %w", r.table, err)
	}
	return err
}
