package protocol

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// Table is the table of runs in one database. Every method but Fate is one
// statement that touches one row, by its key. The bool says whether the row
// was there and as the statement's fence wants it.
type Table interface {
	// Insert makes the request's owner the holder of a key that has no run,
	// with the request's fingerprint. It may return the run of a key that has
	// one.
	Insert(ctx context.Context, req idem.ClaimRequest) (idem.Record, bool, error)
	// Find reads a run.
	Find(ctx context.Context, key idem.Key) (idem.Record, bool, error)
	// Take makes the request's owner the holder of a run that is due and
	// still has the handler, the fingerprint, the status, the owner and the
	// attempt that were seen. A run without a fingerprint gets the request's.
	Take(ctx context.Context, seen idem.Record, req idem.ClaimRequest, attempt int) (idem.Record, bool, error)
	// Bury makes such a run dead.
	Bury(ctx context.Context, seen idem.Record, attempt int) (idem.Record, bool, error)
	// Complete, Release and Extend write the run that the token holds.
	Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) (bool, error)
	Release(ctx context.Context, token idem.Token, release idem.Release) (bool, error)
	Extend(ctx context.Context, token idem.Token, lease time.Duration) (bool, error)
	// Fate tells what an error of the methods above leaves open.
	Fate(err error) Fate
}

// Fate is what became of a statement that ended in an error.
type Fate int

const (
	// Unknown says that it may have been committed, and may yet be.
	Unknown Fate = iota
	// NotNow says that nothing was done, and that it may be another time:
	// the statement never reached the database, or came at a bad moment.
	NotNow
	// Refused says that the database did nothing, and would not another time.
	Refused
)

// ErrClosed marks an error of a pool or a connection that the program closed.
var ErrClosed = errors.New("the database handle is closed")

// UnsentError marks an error that came before a statement was sent.
type UnsentError struct{ Err error }

func (e *UnsentError) Error() string { return e.Err.Error() }
func (e *UnsentError) Unwrap() error { return e.Err }

// IsUnsent reports whether an error is marked so.
func IsUnsent(err error) bool {
	var unsent *UnsentError
	return errors.As(err, &unsent)
}

var tableName = regexp.MustCompile(`^([a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]*$`)

// MustBeTable panics if a name is not one that idemgen gives to a table: the
// stores put it into their statements as it is.
func MustBeTable(name string) {
	if !tableName.MatchString(name) {
		panic(fmt.Sprintf("idem: table %q: want lower-case letters, digits and _, optionally after a schema and a dot", name))
	}
}
