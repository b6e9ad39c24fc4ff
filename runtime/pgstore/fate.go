package pgstore

import (
	"cmp"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// What SQLSTATE says, as far as the store acts upon it.
const (
	serializationFailure  = "40001"
	deadlockDetected      = "40P01"
	undefinedTable        = "42P01"
	insufficientPrivilege = "42501"
)

// The classes and codes of errors that say more than that the statement is
// wrong.
var (
	// The connection, or the session, broke: between the commit and its
	// answer, it may be. A pooler says so in the server's stead.
	brokenOff = []string{"", "08", "40003", "57P01", "57P02", "57P03", "57P04", "57P05"}
	// Nothing was done, and another time it may be.
	passing = []string{
		"0A000", "26000", // a prepared statement that a migration, or a pooler, has made void
		"25006",    // read-only: a standby, in a failover
		"40",       // rolled back, because of others
		"53", "58", // no memory, no connections, no disk, or it fails
		"55P03", "57014", // lock_timeout, statement_timeout
	}
)

// Fate implements [protocol.Table]. An error that the server sent for the
// statement means that nothing was done. One that ended the session says
// nothing: it can come between the commit and its answer.
func (r runs) Fate(err error) protocol.Fate {
	var pgErr *pgconn.PgError
	var commit *commitError
	switch {
	case errors.Is(err, protocol.ErrClosed):
		return protocol.Refused
	case errors.As(err, &commit) && !errors.As(err, &pgErr):
		return protocol.Unknown
	case protocol.IsUnsent(err), pgconn.SafeToRetry(err):
		return protocol.NotNow
	case !errors.As(err, &pgErr), endsSession(pgErr), isOneOf(pgErr.Code, brokenOff):
		return protocol.Unknown
	case isOneOf(pgErr.Code, passing):
		return protocol.NotNow
	}
	return protocol.Refused
}

// endsSession reads both severities: the one in the language of the server is
// all that a pooler sends, in English.
func endsSession(err *pgconn.PgError) bool {
	severity := cmp.Or(err.SeverityUnlocalized, err.Severity)
	return severity == "FATAL" || severity == "PANIC"
}

// isOneOf reports whether a list has a code or its class.
func isOneOf(code string, list []string) bool {
	return slices.Contains(list, code) || slices.Contains(list, code[:min(2, len(code))])
}

// conflicted reports whether the database could not serialize a statement.
func conflicted(err error) bool {
	code := sqlState(err)
	return code == serializationFailure || code == deadlockDetected
}

func sqlState(err error) string {
	if err == nil {
		return "" // nearly always, and at no cost
	}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code
	}
	return ""
}
