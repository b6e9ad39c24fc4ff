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
	plans *plans
}

var _ protocol.Table = runs{}

// on is the same table by way of another handle.
func (r runs) on(db DB) runs {
	r.db = db
	return r
}

func (r runs) Insert(ctx context.Context, req idem.ClaimRequest) (idem.Record, bool, error) {
	var rec idem.Record
	ok, err := r.row(ctx, func(row pgx.Row) (err error) {
		rec, err = r.inserted(row, req)
		return err
	}, &rec.Asked, r.sql.insert, r.insertArgs(req)...)
	return rec, ok, err
}

func (r runs) Find(ctx context.Context, key idem.Key) (idem.Record, bool, error) {
	return r.record(ctx, r.plans.current().find, string(key))
}

func (r runs) Take(ctx context.Context, seen idem.Record, req idem.ClaimRequest, attempt int) (idem.Record, bool, error) {
	return r.record(ctx, r.sql.take, string(seen.Key), string(seen.Status), uuid(seen.Owner), seen.Attempt,
		seen.Handler, seen.Fingerprint, attempt, uuid(req.Owner), micros(req.Lease), req.Fingerprint, req.Payload)
}

func (r runs) Bury(ctx context.Context, seen idem.Record, attempt int) (idem.Record, bool, error) {
	return r.record(ctx, r.sql.bury, string(seen.Key), string(seen.Status), uuid(seen.Owner), seen.Attempt,
		seen.Handler, seen.Fingerprint, attempt)
}

func (r runs) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) (bool, error) {
	n, err := r.exec(ctx, r.plans.current().complete, string(token.Key), uuid(token.Owner), token.Attempt,
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

func (r runs) insertArgs(req idem.ClaimRequest) []any {
	return []any{string(req.Key), req.Handler, uuid(req.Owner), micros(req.Lease), req.Fingerprint, req.Payload}
}

// record runs a statement that yields at most one run.
func (r runs) record(ctx context.Context, sql string, args ...any) (rec idem.Record, found bool, err error) {
	found, err = r.row(ctx, func(row pgx.Row) (err error) {
		rec, err = r.scan(row)
		return err
	}, &rec.Asked, sql, args...)
	return rec, found, err
}

// row runs a statement that yields at most one row, and notes when.
func (r runs) row(ctx context.Context, scan func(pgx.Row) error, at *time.Time, sql string, args ...any) (found bool, err error) {
	err = r.do(ctx, func(db DB) error {
		asked := time.Now()
		err := scan(db.QueryRow(ctx, sql, args...))
		*at = asked
		found = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return found, err
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

// inserted is the run that a request has made: all but what is left of its
// lease is as the request has it.
func (r runs) inserted(row pgx.Row, req idem.ClaimRequest) (idem.Record, error) {
	var remaining pgtype.Interval
	var at pgtype.TID
	if err := row.Scan(&remaining, &at); err != nil {
		return idem.Record{}, err
	}
	r.plans.see(at.BlockNumber)
	return insertedRecord(req, span(remaining)), nil
}

func insertedRecord(req idem.ClaimRequest, remaining time.Duration) idem.Record {
	return idem.Record{
		Key: req.Key, Handler: req.Handler, Status: idem.StatusRunning, Attempt: 1, Owner: req.Owner,
		Fingerprint: req.Fingerprint, Remaining: remaining,
	}
}

func (r runs) scan(row pgx.Row) (idem.Record, error) {
	var rec idem.Record
	var owner pgtype.UUID
	var remaining pgtype.Interval
	var at pgtype.TID
	err := row.Scan(&rec.Key, &rec.Handler, &rec.Status, &rec.Attempt, &rec.Holds, &owner,
		&rec.Fingerprint, &rec.Result, &rec.Error, &remaining, &at)
	if err == nil {
		r.plans.see(at.BlockNumber)
	}
	rec.Owner = owner.Bytes
	rec.Remaining = span(remaining)
	return rec, err
}

// span is the time between two times, which has no months.
func span(i pgtype.Interval) time.Duration {
	const day = 24 * int64(time.Hour/time.Microsecond)
	return protocol.Duration(int64(i.Days)*day+i.Microseconds, time.Microsecond)
}

// uuid is an owner as a parameter: NULL if there is none.
func uuid(owner idem.Owner) pgtype.UUID {
	return pgtype.UUID{Bytes: owner, Valid: owner != idem.Owner{}}
}

// micros is a duration in what a timestamptz counts.
func micros(d time.Duration) int64 { return protocol.Units(d, time.Microsecond) }
