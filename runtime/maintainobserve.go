package runtime

import (
	"context"
	"log/slog"
	"time"
)

// Maintenance is a task of [Maintain], as observers see it.
type Maintenance struct {
	Task     string // sweep, or purge:HANDLER
	Rows     int    // that it wrote
	Duration time.Duration
	Err      error
	Text     string // of Err, as [WithErrorText] has it
}

// MaintenanceObserver is an [Observer] that is told of maintenance, too: of each
// task that this process began, or could not begin for an error.
type MaintenanceObserver interface {
	Maintained(ctx context.Context, m Maintenance)
}

func (s settings) maintained(ctx context.Context, m Maintenance) {
	if m.Err != nil {
		m.Text = textOf(m.Err, s.errorText)
	}
	for _, o := range s.observers {
		if o, ok := o.(MaintenanceObserver); ok {
			o.Maintained(ctx, m)
		}
	}
}

// Maintained logs what a task wrote, and at level Warn the error that it ended
// in. Of one that had nothing to do it says nothing.
func (l logObserver) Maintained(ctx context.Context, m Maintenance) {
	if m.Rows == 0 && m.Err == nil {
		return
	}
	level := slog.LevelInfo
	attrs := []slog.Attr{slog.String("task", m.Task), slog.Int("rows", m.Rows), slog.Duration("duration", m.Duration)}
	if m.Err != nil {
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("error", m.Text))
	}
	l.logger.LogAttrs(ctx, level, "maintenance", attrs...)
}
