package pgstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var _ protocol.Many = runs{}

// errStrangeRow leaves open what was done.
var errStrangeRow = errors.New("a row came back that was not asked for, or not in its turn")

// InsertAll implements [protocol.Many].
func (r runs) InsertAll(ctx context.Context, reqs []idem.ClaimRequest) ([]protocol.Found, error) {
	order := sorted(reqs, func(req idem.ClaimRequest) string { return string(req.Key) })
	n := len(order)
	keys, handlers, owners := make([]string, n), make([]string, n), make([]pgtype.UUID, n)
	leases, fingerprints, payloads := make([]int64, n), make([][]byte, n), make([][]byte, n)
	for i, at := range order {
		req := reqs[at]
		keys[i], handlers[i], owners[i], leases[i], fingerprints[i], payloads[i] = string(req.Key), req.Handler, uuid(req.Owner), micros(req.Lease), req.Fingerprint, req.Payload
	}
	found := make([]protocol.Found, n)
	var got struct {
		owner     pgtype.UUID
		remaining pgtype.Interval
		at        pgtype.TID
	}
	place := 0 // rows come back in their order, without those that were not inserted
	err := r.many(ctx, func(rows pgx.Rows, asked time.Time) error {
		if err := rows.Scan(&got.owner, &got.remaining, &got.at); err != nil {
			return err
		}
		r.plans.see(got.at.BlockNumber)
		ahead := slices.Index(owners[place:], got.owner)
		if ahead < 0 {
			return errStrangeRow
		}
		at := order[place+ahead]
		found[at] = protocol.Found{Record: insertedRecord(reqs[at], span(got.remaining), asked), OK: true}
		place += ahead + 1
		return nil
	}, r.sql.insertAll, keys, handlers, owners, leases, unlessNone(fingerprints), unlessNone(payloads))
	if err == nil {
		r.findOthers(ctx, reqs, found)
	}
	return found, err
}

// findOthers looks for the runs that are in the way of those that were not
// inserted. If it cannot, each looks for its own.
func (r runs) findOthers(ctx context.Context, reqs []idem.ClaimRequest, found []protocol.Found) {
	var places []int
	var keys []idem.Key
	for i, f := range found {
		if !f.OK {
			places, keys = append(places, i), append(keys, reqs[i].Key)
		}
	}
	if len(keys) == 0 {
		return
	}
	others, err := r.FindAll(ctx, keys)
	if err != nil {
		return
	}
	for i, place := range places {
		found[place].Record = others[i].Record
	}
}

// FindAll implements [protocol.Many].
func (r runs) FindAll(ctx context.Context, keys []idem.Key) ([]protocol.Found, error) {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = string(key)
	}
	records := make(map[idem.Key]idem.Record, len(keys))
	err := r.many(ctx, func(rows pgx.Rows, asked time.Time) error {
		rec, err := r.scan(rows, asked)
		records[rec.Key] = rec
		return err
	}, r.plans.forMany().findAll, texts)
	found := make([]protocol.Found, len(keys))
	for i, key := range keys {
		found[i].Record, found[i].OK = records[key], records[key].Key != ""
	}
	return found, err
}

// CompleteAll implements [protocol.Many].
func (r runs) CompleteAll(ctx context.Context, ends []protocol.End) ([]bool, error) {
	order := sorted(ends, func(e protocol.End) string { return string(e.Token.Key) })
	n := len(order)
	keys, owners, attempts := make([]string, n), make([]pgtype.UUID, n), make([]int, n)
	statuses, results, errs := make([]string, n), make([][]byte, n), make([]string, n)
	for i, at := range order {
		e := ends[at]
		keys[i], owners[i], attempts[i] = string(e.Token.Key), uuid(e.Token.Owner), e.Token.Attempt
		statuses[i], results[i], errs[i] = string(e.Outcome.Status), e.Outcome.Result, e.Outcome.Error
	}
	done := make([]bool, n)
	err := r.many(ctx, func(rows pgx.Rows, _ time.Time) error {
		var place int
		if err := rows.Scan(&place); err != nil {
			return err
		}
		done[order[place-1]] = true
		return nil
	}, r.plans.forMany().completeAll, keys, owners, attempts, statuses, results, unlessEmpty(errs))
	return done, err
}

// unlessNone is a parameter for many rows, which nearly always have no such bytes: to
// say so for each costs more than for all.
func unlessNone(list [][]byte) any {
	if slices.ContainsFunc(list, func(data []byte) bool { return data != nil }) {
		return list
	}
	return nil
}

// unlessEmpty is unlessNone for texts.
func unlessEmpty(list []string) any {
	if slices.ContainsFunc(list, func(text string) bool { return text != "" }) {
		return list
	}
	return nil
}

// sorted returns the places of asks in the order of their keys: two that lock
// rows in the same order cannot deadlock.
func sorted[Q any](asks []Q, key func(Q) string) []int {
	order := make([]int, len(asks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(key(asks[i]), key(asks[j])) })
	return order
}

// many runs a statement that yields many rows, each of which is read with the time at
// which the statement was sent.
func (r runs) many(ctx context.Context, read func(pgx.Rows, time.Time) error, sql string, args ...any) error {
	return r.connected(ctx, func(db DB) error {
		asked := time.Now()
		rows, err := db.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := read(rows, asked); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}
