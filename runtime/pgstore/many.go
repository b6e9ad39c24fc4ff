package pgstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var _ protocol.Many = runs{}

// together is set for rows that are written together, in their transaction. They
// wait for a lock briefly, and are then taken apart, so that only the one waits
// that has to. And the planner, which does not know how many they are, is kept from
// comparing each with all others: that costs more than the rows from a few dozen on.
const together = `SELECT set_config('lock_timeout', '100ms', true), set_config('enable_nestloop', 'off', true)`

// InsertAll implements [protocol.Many].
func (r runs) InsertAll(ctx context.Context, reqs []idem.ClaimRequest) ([]protocol.Found, error) {
	order := sorted(reqs, func(req idem.ClaimRequest) string { return string(req.Key) })
	n := len(order)
	keys, handlers, owners := make([]string, n), make([]string, n), make([]pgtype.UUID, n)
	leases, fingerprints, payloads := make([]int64, n), make([][]byte, n), make([][]byte, n)
	place := make(map[idem.Owner]int, n)
	for i, at := range order {
		req := reqs[at]
		keys[i], handlers[i], owners[i], leases[i], fingerprints[i], payloads[i] = string(req.Key), req.Handler, uuid(req.Owner), micros(req.Lease), req.Fingerprint, req.Payload
		place[req.Owner] = at
	}
	found := make([]protocol.Found, n)
	err := r.write(ctx, func(rows pgx.Rows, asked time.Time) error {
		var owner pgtype.UUID
		var remaining pgtype.Interval
		var tid pgtype.TID
		if err := rows.Scan(&owner, &remaining, &tid); err != nil {
			return err
		}
		r.plans.see(tid.BlockNumber)
		at := place[owner.Bytes]
		rec := insertedRecord(reqs[at], span(remaining))
		rec.Asked = asked
		found[at] = protocol.Found{Record: rec, OK: true}
		return nil
	}, r.sql.insertAll, keys, handlers, owners, leases, fingerprints, payloads)
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
	err := r.connected(ctx, func(db DB) error {
		asked := time.Now()
		rows, err := db.Query(ctx, r.plans.current().findAll, texts)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			rec, err := r.scan(rows)
			if err != nil {
				return err
			}
			rec.Asked = asked
			records[rec.Key] = rec
		}
		return rows.Err()
	})
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
	err := r.write(ctx, func(rows pgx.Rows, _ time.Time) error {
		var place int
		if err := rows.Scan(&place); err != nil {
			return err
		}
		done[order[place-1]] = true
		return nil
	}, r.plans.current().completeAll, keys, owners, attempts, statuses, results, errs)
	return done, err
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

// write sends a statement that writes many rows, with the settings for it, in one
// transaction: the server's, which begins with the first of
// what is sent together and ends with the last.
func (r runs) write(ctx context.Context, read func(pgx.Rows, time.Time) error, sql string, args ...any) error {
	return r.connected(ctx, func(db DB) (err error) {
		b := new(pgx.Batch)
		b.Queue(together)
		b.Queue(sql, args...)
		asked := time.Now()
		results := db.SendBatch(ctx, b)
		defer func() {
			if closeErr := results.Close(); err == nil {
				err = closeErr // the commit's
			}
		}()
		if _, err := results.Exec(); err != nil {
			return err
		}
		rows, err := results.Query()
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
