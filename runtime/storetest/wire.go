package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
)

// Wire is what a store's statements go through on their way to the database,
// for [RunFaults]: tests come between two of them, and lose their answers. A
// store's test hands each statement to Do.
type Wire struct {
	mu   sync.Mutex
	verb string // of the statement to meet
	meet meeting
}

// meeting replaces the running of one statement.
type meeting func(ctx context.Context, run func(context.Context) error) error

// errCut is what a driver says of a broken connection: nothing.
var errCut = errors.New("unexpected EOF")

// Do runs a statement by run, or does to it what the test wants.
func (w *Wire) Do(ctx context.Context, sql string, run func(context.Context) error) error {
	w.mu.Lock()
	meet := w.meet
	if meet == nil || !strings.HasPrefix(strings.TrimSpace(sql), w.verb) {
		w.mu.Unlock()
		return run(ctx)
	}
	w.meet = nil
	w.mu.Unlock()
	return meet(ctx, run)
}

// next has the next statement of a verb meet what it will. What is done
// meanwhile goes through undisturbed.
func (w *Wire) next(verb string, meet meeting) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.verb, w.meet = verb, meet
}

// before has something happen just before the next statement of a verb.
func (w *Wire) before(verb string, happen func()) {
	w.next(verb, func(ctx context.Context, run func(context.Context) error) error {
		happen()
		return run(ctx)
	})
}

// met reports whether the statement came.
func (w *Wire) met() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.meet == nil
}

// The ways for a connection to break.
var cuts = map[string]meeting{
	"before the statement arrived": func(context.Context, func(context.Context) error) error { return errCut },
	"after the statement was committed": func(ctx context.Context, run func(context.Context) error) error {
		if err := run(ctx); err != nil {
			return err
		}
		return errCut
	},
}
