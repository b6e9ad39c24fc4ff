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
	sql   *statements
	plans *plans
}

var _ protocol.Table = runs{}

// on is the same table by way of another handle.
func (r runs) on(db DB) runs {
	r.db = db
	return r
}

func (r runs) Insert(ctx context.Context, req idem.ClaimRequest) (idem.Record, bool, error) {
	if sql, ok := r.plans.untold(); ok && !r.within() {
		return r.insertUntold(ctx, sql, req)
	}
	return one(ctx, r, func(row pgx.Row, asked time.Time) (idem.Record, error) {
		return r.inserted(row, asked, req)
	}, r.sql.insert, insertArgs(req)...)
}

// insertUntold is Insert by a statement that does not tell what is left of the lease: at
// least all of it from when it was sent.
func (r runs) insertUntold(ctx context.Context, sql string, req idem.ClaimRequest) (idem.Record, bool, error) {
	n, asked, err := r.timed(ctx, sql, insertArgs(req)...)
	if n == 0 || err != nil {
		return idem.Record{}, false, err
	}
	return insertedRecord(req, req.Lease, asked), true, nil
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

func insertArgs(req idem.ClaimRequest) []any {
	return []any{string(req.Key), req.Handler, uuid(req.Owner), micros(req.Lease), orNull(req.Fingerprint), orNull(req.Payload)}
}

// orNull is a parameter, which costs less as a NULL than as no bytes.
func orNull(data []byte) any {
	if data == nil {
		return nil
	}
	return data
}

// record runs a statement that yields at most one run.
func (r runs) record(ctx context.Context, sql string, args ...any) (idem.Record, bool, error) {
	return one(ctx, r, r.scan, sql, args...)
}

// one runs a statement that yields at most one row, which is read with the time at
// which the statement was sent.
func one[T any](ctx context.Context, r runs, scan func(pgx.Row, time.Time) (T, error), sql string, args ...any) (T, bool, error) {
	var found struct {
		row T
		ok  bool
	}
	err := r.do(ctx, func(db DB) (err error) {
		asked := time.Now()
		found.row, err = scan(db.QueryRow(ctx, sql, args...), asked)
		found.ok = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return found.row, found.ok, err
}

// exec runs a statement and returns how many rows it wrote.
func (r runs) exec(ctx context.Context, sql string, args ...any) (int, error) {
	n, _, err := r.timed(ctx, sql, args...)
	return n, err
}

// timed is exec, which also tells when the statement was sent.
func (r runs) timed(ctx context.Context, sql string, args ...any) (int, time.Time, error) {
	var sent struct {
		rows int
		at   time.Time
	}
	err := r.do(ctx, func(db DB) error {
		sent.at = time.Now()
		tag, err := db.Exec(ctx, sql, args...)
		sent.rows = int(tag.RowsAffected())
		return err
	})
	return sent.rows, sent.at, err
}

// inserted is the run that a request has made: all but what is left of its
// lease is as the request has it.
func (r runs) inserted(row pgx.Row, asked time.Time, req idem.ClaimRequest) (idem.Record, error) {
	var got struct {
		remaining pgtype.Interval
		at        pgtype.TID
	}
	if err := row.Scan(&got.remaining, &got.at); err != nil {
		return idem.Record{}, err
	}
	r.plans.see(got.at.BlockNumber)
	return insertedRecord(req, span(got.remaining), asked), nil
}

func insertedRecord(req idem.ClaimRequest, remaining time.Duration, asked time.Time) idem.Record {
	return idem.Record{
		Key: req.Key, Handler: req.Handler, Status: idem.StatusRunning, Attempt: 1, Owner: req.Owner,
		Fingerprint: req.Fingerprint, Remaining: remaining, Asked: asked,
	}
}

func (r runs) scan(row pgx.Row, asked time.Time) (idem.Record, error) {
	rec := idem.Record{Asked: asked}
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
