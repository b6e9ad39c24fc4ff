package sqlitestore

import (
	"context"
	"database/sql"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// Health implements [idem.Maintainer]: three statements, and two for each
// handler whose runs are not kept for ever.
func (s *Store) Health(ctx context.Context, specs []idem.Spec) (idem.Health, error) {
	if err := s.current(ctx); err != nil {
		return idem.Health{}, err
	}
	h, err := protocol.Health(ctx, tasks{s}, specs)
	return h, s.explainTasks(err)
}

// tasks is what is recorded of the maintenance, a method a statement.
type tasks struct{ *Store }

var _ protocol.Tasks = tasks{}

func (t tasks) Last(ctx context.Context, task string) (idem.TaskHealth, error) {
	h := idem.TaskHealth{Task: task}
	err := t.query(ctx, t.upkeep.health, []any{task}, func(row *sql.Rows) error {
		var ago, period int64
		err := row.Scan(&ago, &period, &h.Rows, &h.Error)
		h.Ran, h.Ago, h.Period = true, protocol.Duration(ago, time.Millisecond), protocol.Duration(period, time.Millisecond)
		return err
	})
	return h, err
}

func (t tasks) CountExpired(ctx context.Context, ago time.Duration, limit int) (int, error) {
	return t.count(ctx, t.upkeep.countExpired, millis(ago), limit)
}

func (t tasks) CountFinished(ctx context.Context, handler string, ago time.Duration, limit int) (int, error) {
	return t.count(ctx, t.upkeep.countFinished, handler, millis(ago), limit)
}

func (t tasks) CountDead(ctx context.Context, limit int) (int, error) {
	return t.count(ctx, t.upkeep.countDead, string(idem.StatusDead), limit)
}

func (t tasks) count(ctx context.Context, query string, args ...any) (n int, err error) {
	err = t.query(ctx, query, args, func(row *sql.Rows) error { return row.Scan(&n) })
	return n, err
}
