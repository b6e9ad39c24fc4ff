package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

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
	h := idem.TaskHealth{Task: task, Ran: true}
	var ago, period int64
	err := t.runs.do(ctx, func(db DB) error {
		return db.QueryRow(ctx, t.upkeep.health, task).Scan(&ago, &period, &h.Rows, &h.Error)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return idem.TaskHealth{Task: task}, nil
	}
	h.Ago, h.Period = protocol.Duration(ago, time.Microsecond), protocol.Duration(period, time.Microsecond)
	return h, err
}

func (t tasks) CountExpired(ctx context.Context, ago time.Duration, limit int) (int, error) {
	return t.count(ctx, t.upkeep.countExpired, micros(ago), limit)
}

func (t tasks) CountFinished(ctx context.Context, handler string, ago time.Duration, limit int) (int, error) {
	return t.count(ctx, t.upkeep.countFinished, handler, micros(ago), limit)
}

func (t tasks) CountDead(ctx context.Context, limit int) (int, error) {
	return t.count(ctx, t.upkeep.countDead, string(idem.StatusDead), limit)
}

func (t tasks) count(ctx context.Context, sql string, args ...any) (n int, err error) {
	err = t.runs.do(ctx, func(db DB) error { return db.QueryRow(ctx, sql, args...).Scan(&n) })
	return n, err
}
