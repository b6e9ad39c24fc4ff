package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// runs is the table of runs, a method a statement.
type runs struct {
	db    DB
	table string
	sql   statements
}

var _ protocol.Table = runs{}

func (r runs) Insert(ctx context.Context, req idem.ClaimRequest) (idem.Record, bool, error) {
	return r.row(ctx, r.sql.insert, string(req.Key), req.Handler, uuid(req.Owner), micros(req.Lease), req.Fingerprint)
}

func (r runs) Find(ctx context.Context, key idem.Key) (idem.Record, bool, error) {
	return r.row(ctx, r.sql.find, string(key))
}

func (r runs) Take(ctx context.Context, seen idem.Record, req idem.ClaimRequest, attempt int) (idem.Record, bool, error) {
	return r.row(ctx, r.sql.take, string(seen.Key), string(seen.Status), uuid(seen.Owner), seen.Attempt,
		seen.Handler, seen.Fingerprint, attempt, uuid(req.Owner), micros(req.Lease), req.Fingerprint)
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
		micros(release.Delay), release.Attempts, release.Error, protocol.Count(release.Hold))
	return n > 0, err
}

func (r runs) Extend(ctx context.Context, token idem.Token, lease time.Duration) (bool, error) {
	n, err := r.exec(ctx, r.sql.extend, string(token.Key), uuid(token.Owner), token.Attempt, micros(lease))
	return n > 0, err
}

// row runs a statement that yields at most one run.
func (r runs) row(ctx context.Context, sql string, args ...any) (rec idem.Record, found bool, err error) {
	err = r.do(ctx, func(db DB) error {
		asked := time.Now()
		rec, err = scan(db.QueryRow(ctx, sql, args...))
		rec.Asked = asked
		found = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return rec, found, err
}

// exec runs a statement and returns how many rows it wrote.
func (r runs) exec(ctx context.Context, sql string, args ...any) (n int, err error) {
	err = r.do(ctx, func(db DB) error {
		tag, err := db.Exec(ctx, sql, args...)
		n = int(tag.RowsAffected())
		return err
	})
	return n, err
}

func scan(row pgx.Row) (idem.Record, error) {
	var rec idem.Record
	var owner pgtype.UUID
	var remaining int64
	err := row.Scan(&rec.Key, &rec.Handler, &rec.Status, &rec.Attempt, &rec.Holds, &owner,
		&rec.Fingerprint, &rec.Result, &rec.Error, &remaining)
	rec.Owner = owner.Bytes
	rec.Remaining = protocol.Duration(remaining, time.Microsecond)
	return rec, err
}

// uuid is an owner as a parameter: NULL if there is none.
func uuid(owner idem.Owner) pgtype.UUID {
	return pgtype.UUID{Bytes: owner, Valid: owner != idem.Owner{}}
}

// micros is a duration in what a timestamptz counts.
func micros(d time.Duration) int64 { return protocol.Units(d, time.Microsecond) }
