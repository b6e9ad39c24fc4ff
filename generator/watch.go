package generator

import (
	"context"
	"maps"
	"time"
)

// Watch calls run, and calls it again whenever a file of the project below
// root has changed that [Generate] reads or writes: a Go file, idemgen.yaml,
// go.mod, go.sum, go.work, idemgen.lock, SQL. It waits until the files are at
// rest, so that a burst of saves is one run, and what run itself wrote, as
// its Result says, starts no other. What changes while run is at work starts
// the next one.
//
// It ends with ctx, which is no error, or when the root cannot be read.
//
// It looks at names, sizes and times, a few times a second: that is the same
// on every system, in containers and on network drives.
func Watch(ctx context.Context, root string, run func() Result) error {
	w := watcher{root: root, pause: pause}
	return w.watch(ctx, run)
}

const (
	lookEvery = 200 * time.Millisecond
	restRatio = 20 // of the time between looks to that of a look, at least
)

// pause waits for the next look.
func pause(ctx context.Context, looked time.Duration) {
	timer := time.NewTimer(max(lookEvery, restRatio*looked))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// watcher is Watch with a pause that tests can end.
type watcher struct {
	root  string
	pause func(ctx context.Context, looked time.Duration)
}

func (w watcher) watch(ctx context.Context, run func() Result) error {
	known, err := look(w.root)
	for err == nil && ctx.Err() == nil {
		if known, err = w.after(known, run()); err == nil {
			known, err = w.change(ctx, known)
		}
	}
	return err
}

// after returns what the files were before a run, but for those that the run
// wrote or removed.
func (w watcher) after(before view, done Result) (view, error) {
	now, err := look(w.root)
	if err != nil {
		return nil, err
	}
	for _, names := range [][]string{done.Wrote, done.Removed} {
		for _, name := range names {
			if info, ok := now[name]; ok {
				before[name] = info
			} else {
				delete(before, name)
			}
		}
	}
	return before, nil
}

// change waits until the files are others than they were and have come to
// rest, and returns what they are then.
func (w watcher) change(ctx context.Context, known view) (view, error) {
	last := known
	for {
		begun := time.Now()
		now, err := look(w.root)
		if err != nil || ctx.Err() != nil {
			return now, err
		}
		if !maps.EqualFunc(now, known, same) && maps.EqualFunc(now, last, same) {
			return now, nil
		}
		last = now
		w.pause(ctx, time.Since(begun))
	}
}
