package idemtest

import (
	"context"
	"errors"
	"sync"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// handler returns the real handler of the n-th delivery.
func (w *trial[R]) handler(n int) func(context.Context) (R, error) {
	return func(ctx context.Context) (R, error) { return w.real.Handle(ctx, n) }
}

func (w *trial[R]) wantEffects(t testing.TB, n, want int, why string) {
	t.Helper()
	if got := w.real.Effects(n); got != want {
		t.Fatalf("the effect of delivery %d happened %d times; want %d: %s", n, got, want, why)
	}
}

// realTwice: the handler's effect happens once for each event.
func (w *trial[R]) realTwice(t testing.TB) {
	t.Helper()
	w.wantEffects(t, 1, 0, "before any delivery; the fixture's Effects has to count the rows of one event only")
	first, err := w.deliver(1, w.handler(1))
	if err != nil {
		t.Fatalf("first delivery: %v", err)
	}
	w.wantEffects(t, 1, 1, "after one delivery; the fixture's Effects has to count what the handler does")
	second, err := w.deliver(1, w.handler(1))
	if err != nil {
		t.Fatalf("second delivery: %v", err)
	}
	wantAlike(t, second, first)
	if _, err := w.deliver(2, w.handler(2)); err != nil {
		t.Fatalf("another event: %v", err)
	}
	w.wantEffects(t, 1, 1, "the event was delivered twice, and another one once")
	w.wantEffects(t, 2, 1, "the event was delivered once, and another one twice")
}

// realAtOnce: the handler's effect happens once when deliveries meet.
func (w *trial[R]) realAtOnce(t testing.TB) {
	t.Helper()
	for _, a := range w.all(w.race(int(racers), w.handler(1))) {
		if a.err != nil && (a.ran || !errors.Is(a.err, idem.ErrInProgress)) {
			t.Fatalf("a delivery that came with others: %v", a.err)
		}
	}
	w.wantEffects(t, 1, 1, "several deliveries of it came together")
	w.wantRun(t, idem.StatusDone, 1)
}

// crashCure is what to do about a handler that does not survive a crash.
const crashCure = `the worker died after the effect and before its result was stored, so the handler had to run again, and its effect happened again.
No wrapper can prevent that; the place where the effect happens has to recognise it:
  - a row of your own: a unique constraint on what names the event, and INSERT ... ON CONFLICT DO NOTHING
  - a provider: give the handler a parameter of type idem.Key and pass it on as the provider's idempotency key; Effects then counts what the provider did, not how often it was asked`

// realCrash: the handler's effect survives a second run.
func (w *trial[R]) realCrash(t testing.TB) {
	t.Helper()
	w.crashed(t, 1, w.handler(1))
	w.wantEffects(t, 1, 1, "after one run")
	w.db.Advance(w.Spec.Lease)
	_, err := w.deliver(1, w.handler(1))
	switch {
	case w.lastAttempt():
		w.wantDead(t, err)
	case err != nil:
		t.Fatalf("the second run, after a crash: %v\nThe first run had its effect, and the second one has to end well all the same: for a row of your own, INSERT ... ON CONFLICT DO NOTHING, and return what the first run returned", err)
	}
	w.wantEffects(t, 1, 1, crashCure)
}

// overlapCure is what to do about a handler that two workers cannot run.
const overlapCure = `the lease ended while the handler ran, so a second worker ran it beside the first, and its effect happened twice.
To look whether it is there and then to do it is not enough: both look before either has done it. A unique constraint decides who is first, on columns that are NOT NULL, with INSERT ... ON CONFLICT DO NOTHING; or the provider does, by the key`

// overlaps is how often the overlap is tried: whether two workers meet
// between a look and a write is up to chance.
const overlaps = 50

// realOverlap: the handler's effect survives two workers at once.
func (w *trial[R]) realOverlap(t testing.TB) {
	t.Helper()
	if w.lastAttempt() {
		return // nobody follows the first worker
	}
	for n := 1; n <= overlaps; n++ {
		first, second := w.overlap(t, n)
		if w.real.Effects(n) == 0 {
			t.Fatalf("two workers ran the handler beside each other, and its effect did not happen: the first got error %v, the second %v", first, second)
		}
		w.wantEffects(t, n, 1, overlapCure)
	}
}

// overlap delivers to a worker whose lease ends in the handler, and to
// another; both go on at the same moment. Either may fail.
func (w *trial[R]) overlap(t testing.TB, n int) (first, second error) {
	t.Helper()
	entered, together, answers := make(chan struct{}), make(chan struct{}), make(chan answer[R], 1)
	go func() {
		_, err := w.deliver(n, func(ctx context.Context) (R, error) {
			close(entered)
			<-together
			return w.real.Handle(ctx, n)
		})
		answers <- answer[R]{err: err}
	}()
	select {
	case <-entered:
	case a := <-answers:
		t.Fatalf("the first delivery did not run the handler: %v", a.err)
	}
	w.db.Advance(w.Spec.Lease)
	meet := sync.OnceFunc(func() { close(together) })
	_, second = w.deliver(n, func(ctx context.Context) (R, error) {
		meet()
		return w.real.Handle(ctx, n)
	})
	meet() // in case the second delivery did not run the handler
	return (<-answers).err, second
}
