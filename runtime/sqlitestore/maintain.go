package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

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
			return s.places(ctx, s.upkeep.finished, after, limit, handler, millis(retain))
		},
		Write: func(ctx context.Context, keys []string) (int, error) {
			return s.write(ctx, s.upkeep.remove, keys, millis(retain))
		},
	}.Run(ctx, limit)
	return n, s.runs.explain(err)
}

// places runs a statement that finds runs behind a place.
func (s *Store) places(ctx context.Context, query string, after protocol.Behind, limit int, args ...any) ([]protocol.Place, error) {
	except, err := keyList(after.Except)
	if err != nil {
		return nil, err
	}
	args = append([]any{after.Created, except, limit}, args...)
	var places []protocol.Place
	err = s.query(ctx, query, args, func(row *sql.Rows) error {
		var p protocol.Place
		err := row.Scan(&p.Key, &p.Created)
		places = append(places, p)
		return err
	})
	return places, err
}

// write runs a statement on many rows.
func (s *Store) write(ctx context.Context, query string, keys []string, args ...any) (int, error) {
	list, err := keyList(keys)
	if err != nil {
		return 0, err
	}
	return s.runs.exec(ctx, query, append([]any{list}, args...)...)
}

// keyList is a list of keys as a parameter.
func keyList(keys []string) (string, error) {
	list, err := json.Marshal(keys)
	return string(list), err
}

// BeginTask implements [idem.Maintainer]: one statement if the task is not due,
// two if it is, and three if others were quicker.
func (s *Store) BeginTask(ctx context.Context, task string, period time.Duration) (time.Duration, error) {
	if err := s.current(ctx); err != nil {
		return 0, err
	}
	wait, err := protocol.BeginTask(time.Millisecond,
		func() (time.Duration, error) { return s.taskWait(ctx, task, period) },
		func() (int, error) { return s.runs.exec(ctx, s.upkeep.begin, task, millis(period)) })
	return wait, s.explainTasks(err)
}

// taskWait returns how long it is until a task is due, not above zero if it is.
func (s *Store) taskWait(ctx context.Context, task string, period time.Duration) (time.Duration, error) {
	var wait int64
	err := s.query(ctx, s.upkeep.wait, []any{task, millis(period)}, func(row *sql.Rows) error { return row.Scan(&wait) })
	return min(protocol.Duration(wait, time.Millisecond), period), err
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
