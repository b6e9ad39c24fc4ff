package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/internal/detached"
)

// MaintainOption changes what [Maintain] does.
type MaintainOption func(*maintenance)

// SweepEvery has runs whose lease is over swept at a period,
// [DefaultSweepEvery] if this option is not given; 0 sweeps none.
func SweepEvery(period time.Duration) MaintainOption {
	return func(m *maintenance) { m.sweepEvery = period }
}

// PurgeEvery has runs that are older than their retention deleted at a period,
// [DefaultPurgeEvery] if this option is not given; 0 deletes none.
func PurgeEvery(period time.Duration) MaintainOption {
	return func(m *maintenance) { m.purgeEvery = period }
}

// The periods of [Maintain] without an option.
const (
	DefaultSweepEvery = 30 * time.Second
	DefaultPurgeEvery = 10 * time.Minute
)

const (
	// stepRows bounds one call of a sweep or a purge, after which a task looks
	// at the time.
	stepRows = 10_000
	// endTimeout bounds the recording of a task's end, also when the program
	// is about to end.
	endTimeout = 5 * time.Second
)

// Maintain keeps the table until ctx ends, and returns nil then: it sweeps
// runs whose lease is over, and purges those of the specs' handlers that are
// older than their retention, and the entities of those that are Ordered. Every replica of a program may call it: a task is
// begun once in a period, by whichever comes first, and the table
// job_runs_maintenance keeps when that was, how many rows it wrote, and its
// error. A task that is not done when its period is over goes on in the next.
//
// After an error it goes on with the next period. A row whose write the database
// refuses is passed over, and is an error of each task that meets it. Errors are
// told to the store's observers that are a [MaintenanceObserver], of which
// [WithLogger] is one.
//
// It fails at once, before it does anything, if the store is no [Maintainer], or
// no [OrderStore] for a spec that is Ordered, or if two specs of one handler differ
// in their retention, or in whether they are Ordered.
func Maintain(ctx context.Context, store Store, specs []Spec, opts ...MaintainOption) error {
	maintainer, settings, err := maintainer(store)
	if err != nil {
		return err
	}
	m := &maintenance{Maintainer: maintainer, settings: settings, sweepEvery: DefaultSweepEvery, purgeEvery: DefaultPurgeEvery}
	for _, opt := range opts {
		opt(m)
	}
	store, _ = configuration(store)
	purges, err := m.purges(store, specs)
	if err != nil {
		return err
	}
	// Apart, so that a long purge keeps no sweep waiting.
	var both sync.WaitGroup
	both.Go(func() { m.keep(ctx, m.sweeps(store)) })
	both.Go(func() { m.keep(ctx, purges) })
	both.Wait()
	return nil
}

// maintenance is one call of Maintain.
type maintenance struct {
	Maintainer
	settings               settings
	sweepEvery, purgeEvery time.Duration
}

// task is what is done once in a period.
type task struct {
	name   string
	period time.Duration
	step   func(ctx context.Context, limit int) (int, error)
	next   time.Time // to ask whether it is due
}

func (m *maintenance) sweeps(store Store) []*task {
	if m.sweepEvery <= 0 {
		return nil
	}
	return []*task{{name: SweepTask, period: m.sweepEvery, step: store.Sweep}}
}

func (m *maintenance) purges(store Store, specs []Spec) (tasks []*task, err error) {
	if m.purgeEvery <= 0 {
		return nil, nil
	}
	specs, err = distinct(specs)
	if err != nil {
		return nil, err
	}
	for _, spec := range specs {
		if spec.Retain <= 0 {
			continue
		}
		step, err := purgeStep(store, spec)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, &task{name: PurgeTask(spec.Handler), period: m.purgeEvery, step: step})
	}
	return tasks, nil
}

// purgeStep deletes runs of a handler, and its entities if it has an order. Either
// can have more to delete when it reaches the limit.
func purgeStep(store Store, spec Spec) (func(context.Context, int) (int, error), error) {
	runs := func(ctx context.Context, limit int) (int, error) {
		return store.Purge(ctx, spec.Handler, spec.Retain, limit)
	}
	if !spec.Ordered {
		return runs, nil
	}
	entities, ok := store.(OrderStore)
	if !ok {
		return nil, fmt.Errorf("idem: handler %s has an order, and a %T keeps none", spec.Handler, store)
	}
	return func(ctx context.Context, limit int) (int, error) {
		n, err := runs(ctx, limit)
		more, entitiesErr := entities.PurgeEntities(ctx, spec.Handler, spec.Retain, limit)
		return n + more, errors.Join(err, entitiesErr)
	}, nil
}

// distinct leaves out specs that come again.
func distinct(specs []Spec) (list []Spec, err error) {
	known := map[string]Spec{}
	for _, spec := range specs {
		first, again := known[spec.Handler]
		switch {
		case !again:
			known[spec.Handler] = spec
			list = append(list, spec)
		case first.Retain != spec.Retain:
			return nil, fmt.Errorf("idem: two specs of handler %s, which keep its runs for %v and for %v", spec.Handler, first.Retain, spec.Retain)
		case first.Ordered != spec.Ordered:
			return nil, fmt.Errorf("idem: two specs of handler %s, of which one is Ordered: its entities would be kept for ever, or not", spec.Handler)
		}
	}
	return list, nil
}

// keep does tasks, one after the other, until ctx ends.
func (m *maintenance) keep(ctx context.Context, tasks []*task) {
	for _, t := range tasks {
		t.next = time.Now().Add(jitter(t.period))
	}
	for len(tasks) > 0 {
		first := tasks[0]
		for _, t := range tasks {
			if t.next.Before(first.next) {
				first = t
			}
		}
		if !sleep(ctx, time.Until(first.next)) {
			return
		}
		wait := m.turn(ctx, first)
		first.next = time.Now().Add(wait + jitter(first.period))
	}
}

// jitter keeps replicas that were started together from asking together.
func jitter(period time.Duration) time.Duration { return rand.N(period/10 + 1) }

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// turn does a task if it is due, and returns how long to wait for the next.
func (m *maintenance) turn(ctx context.Context, t *task) time.Duration {
	start := time.Now()
	wait, err := m.BeginTask(ctx, t.name, t.period)
	if wait > 0 && err == nil {
		return wait
	}
	rows := 0
	if err == nil {
		rows, err = m.do(ctx, t, start)
	}
	m.settings.maintained(ctx, Maintenance{Task: t.name, Rows: rows, Duration: time.Since(start), Err: err})
	return max(0, t.period-time.Since(start))
}

// do does a task that was begun: steps until nothing is left, or its period is
// over and the next one is due.
func (m *maintenance) do(ctx context.Context, t *task, start time.Time) (rows int, err error) {
	for {
		n, stepErr := t.step(ctx, stepRows)
		rows += n
		if stepErr != nil && ctx.Err() == nil {
			err = stepErr
		}
		if n < stepRows || time.Since(start) >= t.period {
			break
		}
	}
	failure := ""
	if err != nil {
		failure = textOf(err, m.settings.errorText)
	}
	end := detached.New(ctx, endTimeout)
	defer end.End()
	if endErr := m.EndTask(end, t.name, rows, failure); err == nil {
		err = endErr
	}
	return rows, err
}
