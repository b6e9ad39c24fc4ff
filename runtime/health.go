package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Health is how a table of runs is kept. The audit SQL finds the same.
type Health struct {
	// Tasks are the sweep, and the purge of each handler whose runs are not
	// kept for ever.
	Tasks []TaskHealth
	// Dead is how many runs are dead, of whichever handler: see [ErrDead].
	// More than [MaxCounted] are not counted.
	Dead int
}

// TaskHealth is how the sweep or a purge fares.
type TaskHealth struct {
	Task   string        // sweep, or purge:HANDLER
	Ran    bool          // at least one was begun; the next four are of the last
	Ago    time.Duration // since it ended, or, if none ever did, began
	Period time.Duration
	Rows   int    // that it wrote
	Error  string // that it ended in, or empty
	// Overdue is how many runs should have been swept or deleted two periods
	// ago, and are still there. More than [MaxCounted] are not counted. Entities
	// are not: what a purge cannot delete of them is in its Error.
	Overdue int
}

// MaxCounted bounds what [Health] counts, and with that what it costs.
const MaxCounted = 10_000

// HealthOf tells how a store's table is kept: whether somebody sweeps and
// purges, and whether that is enough. It costs three statements, and two more for
// each handler whose runs are not kept for ever, which read indexes only. It is
// an error if the store is no [Maintainer].
func HealthOf(ctx context.Context, store Store, specs []Spec) (Health, error) {
	m, _, err := maintainer(store)
	if err != nil {
		return Health{}, err
	}
	return m.Health(ctx, specs)
}

// Err returns nil if the table is kept, and else what is wrong: a task that
// last ended more than two of its periods ago, or in an error, or that leaves
// runs behind. Dead runs are left to whoever looks at them.
func (h Health) Err() error {
	var wrong []error
	for _, t := range h.Tasks {
		if text := t.wrong(); text != "" {
			wrong = append(wrong, fmt.Errorf("idem: %s %s", t.Task, text))
		}
	}
	return errors.Join(wrong...)
}

func (t TaskHealth) wrong() string {
	switch {
	case t.Ran && t.Ago > 2*t.Period:
		return fmt.Sprintf("has stopped: the last one ended %v ago, and the period is %v; %d runs are overdue", t.Ago, t.Period, t.Overdue)
	case t.Ran && t.Error != "":
		return fmt.Sprintf("fails, and %d runs are overdue: %s", t.Overdue, t.Error)
	case t.Overdue > 0:
		return fmt.Sprintf("does not keep up, or nobody does it: %d runs are overdue", t.Overdue)
	}
	return ""
}
