package generator

import (
	"context"
	"maps"
	"time"
)

// Watch calls run, and calls it again whenever a file has changed that
// [Generate] reads or writes: in the project below root a Go file,
// idemgen.yaml, go.mod, go.sum, go.work, idemgen.lock or SQL; and a Go file or
// the go.mod of the project's module, of another one of its workspace, or of a
// directory that stands for a module by a replace. It waits until the files
// are at rest, so that a burst of saves is one run, and what run itself wrote,
// as its Result says, starts no other. What changes while run is at work
// starts the next one.
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

	from sources // of the run that is next, or at work
}

func (w *watcher) watch(ctx context.Context, run func() Result) error {
	for ctx.Err() == nil {
		w.from = findSources(ctx, w.root)
		known, err := look(w.root, w.from)
		if err == nil {
			known, err = w.after(known, run())
		}
		if err == nil {
			err = w.change(ctx, known)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// after returns what the files were before a run, but for those that the run
// wrote or removed.
func (w *watcher) after(before view, done Result) (view, error) {
	now, err := look(w.root, w.from)
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
// rest.
func (w *watcher) change(ctx context.Context, known view) error {
	last := known
	for {
		begun := time.Now()
		now, err := look(w.root, w.from)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if !maps.EqualFunc(now, known, same) && maps.EqualFunc(now, last, same) {
			return nil
		}
		last = now
		w.pause(ctx, time.Since(begun))
	}
}
