package protocol

import (
	"context"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// Tasks is what a store tells of its maintenance, a method a statement. No count
// goes beyond limit.
type Tasks interface {
	// Last returns what is recorded of a task, which did not run if nothing is.
	Last(ctx context.Context, task string) (idem.TaskHealth, error)
	// CountExpired counts running runs whose lease has been over for so long.
	CountExpired(ctx context.Context, ago time.Duration, limit int) (int, error)
	// CountFinished counts runs of a handler that a purge after so long would delete.
	CountFinished(ctx context.Context, handler string, ago time.Duration, limit int) (int, error)
	// CountDead counts dead runs.
	CountDead(ctx context.Context, limit int) (int, error)
}

// Health asks for all that [idem.Health] tells.
func Health(ctx context.Context, t Tasks, specs []idem.Spec) (h idem.Health, err error) {
	if h.Dead, err = t.CountDead(ctx, idem.MaxCounted); err != nil {
		return h, err
	}
	sweep, err := taskHealth(ctx, t, idem.SweepTask, idem.DefaultSweepEvery, t.CountExpired)
	if err != nil {
		return h, err
	}
	h.Tasks = append(h.Tasks, sweep)
	for _, spec := range specs {
		if spec.Retain <= 0 {
			continue
		}
		purge, err := taskHealth(ctx, t, idem.PurgeTask(spec.Handler), idem.DefaultPurgeEvery,
			func(ctx context.Context, ago time.Duration, limit int) (int, error) {
				return t.CountFinished(ctx, spec.Handler, spec.Retain+ago, limit)
			})
		if err != nil {
			return h, err
		}
		h.Tasks = append(h.Tasks, purge)
	}
	return h, nil
}

// taskHealth counts what is overdue by two of the task's periods: of the one
// that is recorded, or the usual one of a task that never ran.
func taskHealth(ctx context.Context, t Tasks, task string, usual time.Duration, count func(context.Context, time.Duration, int) (int, error)) (idem.TaskHealth, error) {
	h, err := t.Last(ctx, task)
	if err != nil {
		return h, err
	}
	if h.Ran {
		usual = h.Period
	}
	h.Overdue, err = count(ctx, 2*usual, idem.MaxCounted)
	return h, err
}
