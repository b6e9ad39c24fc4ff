package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// runs is the table of runs, a method a statement.
type runs struct {
	db    *sql.DB
	among querier // the transaction that all statements belong to; nil if each is its own
	table string
	sql   statements
}

var _ protocol.Table = runs{}

func (r runs) Insert(ctx context.Context, req idem.ClaimRequest) (idem.Record, bool, error) {
	return r.row(ctx, r.sql.insert, string(req.Key), req.Handler, uuid(req.Owner), millis(req.Lease), req.Fingerprint, req.Payload)
}

func (r runs) Find(ctx context.Context, key idem.Key) (idem.Record, bool, error) {
	return r.row(ctx, r.sql.find, string(key))
}

func (r runs) Take(ctx context.Context, seen idem.Record, req idem.ClaimRequest, attempt int) (idem.Record, bool, error) {
	return r.row(ctx, r.sql.take, string(seen.Key), string(seen.Status), uuid(seen.Owner), seen.Attempt,
		seen.Handler, seen.Fingerprint, attempt, uuid(req.Owner), millis(req.Lease), req.Fingerprint, req.Payload)
}

func (r runs) Bury(ctx context.Context, seen idem.Record, attempt int) (idem.Record, bool, error) {
	return r.row(ctx, r.sql.bury, string(seen.Key), string(seen.Status), uuid(seen.Owner), seen.Attempt,
		seen.Handler, seen.Fingerprint, attempt)
}

func (r runs) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) (bool, error) {
	n, err := r.exec(ctx, r.sql.complete, string(token.Key), uuid(token.Owner), token.Attempt,
		string(outcome.Status), outcome.Result, outcome.Error)
	return n > 0, err
}

func (r runs) Release(ctx context.Context, token idem.Token, release idem.Release) (bool, error) {
	n, err := r.exec(ctx, r.sql.release, string(token.Key), uuid(token.Owner), token.Attempt,
		millis(release.Delay), release.Attempts, release.Error, protocol.Count(release.Hold))
	return n > 0, err
}

func (r runs) Extend(ctx context.Context, token idem.Token, lease time.Duration) (bool, error) {
	n, err := r.exec(ctx, r.sql.extend, string(token.Key), uuid(token.Owner), token.Attempt, millis(lease))
	return n > 0, err
}

// row runs a statement that yields at most one run.
func (r runs) row(ctx context.Context, query string, args ...any) (rec idem.Record, found bool, err error) {
	err = r.do(ctx, func(conn querier) error {
		asked := time.Now()
		rec, found, err = queryRow(ctx, conn, query, args...)
		rec.Asked = asked
		return err
	})
	return rec, found, err
}

// queryRow reads to the end, because that is where a statement that writes
// and returns its row commits: the error that it ends with must not be lost.
func queryRow(ctx context.Context, conn querier, query string, args ...any) (rec idem.Record, found bool, err error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return idem.Record{}, false, err
	}
	defer func() {
		if closeErr := rows.Close(); err == nil {
			err = closeErr
		}
	}()
	for rows.Next() {
		if rec, err = scan(rows); err != nil {
			return idem.Record{}, false, err
		}
		found = true
	}
	return rec, found, rows.Err()
}

// exec runs a statement and returns how many rows it wrote.
func (r runs) exec(ctx context.Context, query string, args ...any) (n int, err error) {
	err = r.do(ctx, func(conn querier) error {
		result, err := conn.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		rows, err := result.RowsAffected()
		n = int(rows)
		return err
	})
	return n, err
}

func scan(row *sql.Rows) (idem.Record, error) {
	var rec idem.Record
	var owner string
	var noResult bool
	var remaining int64
	err := row.Scan(&rec.Key, &rec.Handler, &rec.Status, &rec.Attempt, &rec.Holds, &owner,
		&rec.Fingerprint, &rec.Result, &noResult, &rec.Error, &remaining)
	if rec.Result == nil && !noResult {
		rec.Result = []byte{} // which some drivers read as nil
	}
	if err == nil && owner != "" {
		rec.Owner, err = parseUUID(owner)
	}
	rec.Remaining = protocol.Duration(remaining, time.Millisecond)
	return rec, err
}

// uuid is an owner as a parameter: NULL if there is none.
func uuid(owner idem.Owner) any {
	if owner == (idem.Owner{}) {
		return nil
	}
	return owner.String()
}

func parseUUID(text string) (owner idem.Owner, err error) {
	raw, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(raw) != len(owner) {
		return owner, fmt.Errorf("owner %q is not a UUID", text)
	}
	return idem.Owner(raw), nil
}

// millis is a duration in what the columns count.
func millis(d time.Duration) int64 { return protocol.Units(d, time.Millisecond) }
