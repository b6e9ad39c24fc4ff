package idemtest

import (
	"context"
	"errors"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// answer is what one of several deliveries got.
type answer[R any] struct {
	result R
	err    error
	ran    bool // it ran the handler
}

// race delivers the event from n workers, released together. Each answer
// comes through the channel.
func (w *trial[R]) race(n int, handle func(context.Context) (R, error)) <-chan answer[R] {
	answers := make(chan answer[R], n)
	start := make(chan struct{})
	for range n {
		go func() {
			var a answer[R]
			<-start
			a.result, a.err = w.deliver(1, func(ctx context.Context) (R, error) {
				a.ran = true
				return handle(ctx)
			})
			answers <- a
		}()
	}
	close(start)
	return answers
}

// atOnce: several workers get the event together, and the handler is quick.
func (w *trial[R]) atOnce(t testing.TB) {
	t.Helper()
	var e effects
	answers := w.all(w.race(int(racers), w.work(&e)))
	e.want(t, 1, w.key(t, 1))
	for _, a := range answers {
		if a.err != nil && !a.ran {
			w.wantInProgress(t, "a delivery that came with others", a.err)
			continue
		}
		wantResult(t, "a delivery that came with others", a.result, a.err, 1)
	}
	w.wantRun(t, idem.StatusDone, 1)
}

// all waits for every answer of a race.
func (w *trial[R]) all(answers <-chan answer[R]) []answer[R] {
	list := make([]answer[R], cap(answers))
	for i := range list {
		list[i] = <-answers
	}
	return list
}

// held: several workers get the event together, and the handler returns when
// all others have been answered.
func (w *trial[R]) held(t testing.TB) {
	t.Helper()
	var e effects
	entered, release := make(chan struct{}, int(racers)), make(chan struct{})
	answers := w.race(int(racers), func(ctx context.Context) (R, error) {
		entered <- struct{}{}
		<-release
		return w.work(&e)(ctx)
	})
	inside := 0
	var others []answer[R]
	for inside+len(others) < int(racers) {
		select {
		case <-entered:
			inside++
		case a := <-answers:
			others = append(others, a)
		}
	}
	close(release)
	var holder answer[R]
	for range inside {
		holder = <-answers
	}
	if inside != 1 {
		t.Fatalf("%d workers were in the handler at the same time; want 1", inside)
	}
	for _, a := range others {
		w.wantInProgress(t, "a delivery while the handler runs", a.err)
	}
	wantResult(t, "the delivery that ran the handler", holder.result, holder.err, 1)
	e.want(t, 1, w.key(t, 1))
	w.wantRun(t, idem.StatusDone, 1)
}

// zombie: a worker outlives its lease, and comes back when another one has
// done the work.
func (w *trial[R]) zombie(t testing.TB) {
	t.Helper()
	var e effects
	entered, release := make(chan struct{}), make(chan struct{})
	answers := w.race(1, func(ctx context.Context) (R, error) {
		close(entered)
		<-release
		return w.work(&e)(ctx)
	})
	select {
	case <-entered:
	case a := <-answers:
		t.Fatalf("the first delivery did not run the handler: %v", a.err)
	}
	w.db.Advance(w.Spec.Lease)
	got, err := w.deliver(1, w.work(&e))
	before := w.snapshot(t)
	close(release)
	late := <-answers
	if w.lastAttempt() {
		w.wantDead(t, err)
	} else {
		wantResult(t, "the delivery after the lease", got, err, 1)
	}
	if !errors.Is(late.err, idem.ErrLeaseLost) {
		t.Fatalf("the worker that came back late: got error %v; want idem.ErrLeaseLost", late.err)
	}
	if after := w.snapshot(t); after != before {
		t.Fatalf("the worker that came back late changed the run: it was\n%s\nand is\n%s", before, after)
	}
	if w.lastAttempt() {
		return
	}
	got, err = w.deliver(1, w.work(&e))
	wantResult(t, "a duplicate", got, err, 1)
	e.want(t, 2, w.key(t, 1))
}
