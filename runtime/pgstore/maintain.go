package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var _ idem.Maintainer = (*Store)(nil)

// Sweep implements [idem.Store]: for each 1,000 runs, one statement that finds
// them and one that resets them. After an error, what it had reset stays reset.
func (s *Store) Sweep(ctx context.Context, limit int) (int, error) {
	if err := s.current(ctx); err != nil {
		return 0, err
	}
	n, err := protocol.Upkeep{
		Find: func(ctx context.Context, after protocol.Behind, limit int) ([]protocol.Place, error) {
			return s.places(ctx, s.upkeep.expired, after, limit)
		},
		Write: func(ctx context.Context, keys []string) (int, error) {
			return s.write(ctx, s.upkeep.reset, keys)
		},
	}.Run(ctx, limit)
	return n, s.runs.explain(err)
}

// Purge implements [idem.Store]: for each 1,000 runs, one statement that finds
// them and one that deletes them. After an error, what it had deleted stays
// deleted.
func (s *Store) Purge(ctx context.Context, handler string, retain time.Duration, limit int) (int, error) {
	if retain <= 0 { // kept for ever
		return 0, nil
	}
	if err := s.current(ctx); err != nil {
		return 0, err
	}
	n, err := protocol.Upkeep{
		Find: func(ctx context.Context, after protocol.Behind, limit int) ([]protocol.Place, error) {
			return s.places(ctx, s.upkeep.finished, after, limit, handler, micros(retain))
		},
		Write: func(ctx context.Context, keys []string) (int, error) {
			return s.write(ctx, s.upkeep.remove, keys, micros(retain))
		},
	}.Run(ctx, limit)
	return n, s.runs.explain(err)
}

// places runs a statement that finds runs behind a place.
func (s *Store) places(ctx context.Context, sql string, after protocol.Behind, limit int, args ...any) ([]protocol.Place, error) {
	args = append([]any{time.UnixMicro(after.Created), after.Except, limit}, args...)
	var keys []string
	var created []time.Time
	err := s.runs.do(ctx, func(db DB) error { return db.QueryRow(ctx, sql, args...).Scan(&keys, &created) })
	places := make([]protocol.Place, len(keys))
	for i, key := range keys {
		places[i] = protocol.Place{Created: created[i].UnixMicro(), Key: key}
	}
	return places, err
}

// write runs a statement on many rows in a transaction of its own, since it
// waits for a row that others have locked, a transaction that hangs say, no
// longer than the store's lock timeout.
func (s *Store) write(ctx context.Context, sql string, keys []string, args ...any) (n int, err error) {
	err = s.runs.do(ctx, func(db DB) error {
		return inTransaction(ctx, db, "SET LOCAL lock_timeout = "+setting(s.lockTimeout), func(db DB) error {
			tag, err := db.Exec(ctx, sql, append([]any{keys}, args...)...)
			n = int(tag.RowsAffected())
			return err
		})
	})
	if err != nil {
		n = 0
	}
	return n, err
}

// BeginTask implements [idem.Maintainer]: one statement if the task is not due,
// two if it is, and three if others were quicker.
func (s *Store) BeginTask(ctx context.Context, task string, period time.Duration) (time.Duration, error) {
	if err := s.current(ctx); err != nil {
		return 0, err
	}
	wait, err := protocol.BeginTask(time.Microsecond,
		func() (time.Duration, error) { return s.taskWait(ctx, task, period) },
		func() (int, error) { return s.runs.exec(ctx, s.upkeep.begin, task, micros(period)) })
	return wait, s.explainTasks(err)
}

// taskWait returns how long it is until a task is due, not above zero if it is.
func (s *Store) taskWait(ctx context.Context, task string, period time.Duration) (time.Duration, error) {
	var wait int64
	err := s.runs.do(ctx, func(db DB) error {
		return db.QueryRow(ctx, s.upkeep.wait, task, micros(period)).Scan(&wait)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return min(protocol.Duration(wait, time.Microsecond), period), err
}

// EndTask implements [idem.Maintainer] in one statement.
func (s *Store) EndTask(ctx context.Context, task string, rows int, failure string) error {
	_, err := s.runs.exec(ctx, s.upkeep.end, task, rows, failure)
	return s.explainTasks(err)
}

// explainTasks is explain for statements on the other table.
func (s *Store) explainTasks(err error) error {
	return runs{table: s.runs.table + "_maintenance"}.explain(err)
}
