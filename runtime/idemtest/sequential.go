package idemtest

import (
	"context"
	"errors"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// twice: the acknowledgement was lost, and the event comes again.
func (w *trial[R]) twice(t testing.TB) {
	t.Helper()
	var e effects
	first, firstErr := w.deliver(1, w.work(&e))
	second, secondErr := w.deliver(1, w.work(&e))
	third, thirdErr := w.Deliver(w.message(1, true), w.db.Store(), 1, w.work(&e))
	e.want(t, 1, w.key(t, 1))
	wantResult(t, "first delivery", first, firstErr, 1)
	wantResult(t, "second delivery", second, secondErr, 1)
	wantResult(t, "third delivery, known to be a redelivery", third, thirdErr, 1)
	w.wantRun(t, idem.StatusDone, 1)

	var other effects
	got, err := w.deliver(2, w.work(&other))
	if other.count() == 0 {
		t.Fatalf("another event did not run the handler (error %v): the key does not tell it from the first", err)
	}
	wantResult(t, "another event", got, err, 1)
	other.want(t, 1, w.key(t, 2))
}

// crash: the worker dies when the effect has happened and its result is not
// stored. The work has to run again; the provider knows it by the key.
func (w *trial[R]) crash(t testing.TB) {
	t.Helper()
	var e effects
	w.crashed(t, 1, w.work(&e))
	w.wantRun(t, idem.StatusRunning, 1)
	_, err := w.deliver(1, w.work(&e))
	w.wantInProgress(t, "before the lease is over", err)
	e.want(t, 1, w.key(t, 1))

	w.db.Advance(w.Spec.Lease)
	got, err := w.deliver(1, w.work(&e))
	if w.lastAttempt() {
		w.wantDead(t, err)
		e.want(t, 1, w.key(t, 1))
		return
	}
	wantResult(t, "after the lease", got, err, 2)
	w.wantRun(t, idem.StatusDone, 2)
	got, err = w.deliver(1, w.work(&e))
	wantResult(t, "duplicate of the second run", got, err, 2)
	e.want(t, 2, w.key(t, 1))
}

// handlerError: an error is not an outcome; the next delivery tries again.
func (w *trial[R]) handlerError(t testing.TB) {
	t.Helper()
	var e effects
	down := errors.New("the provider is down")
	_, err := w.deliver(1, func(ctx context.Context) (R, error) {
		result, _ := w.work(&e)(ctx)
		return result, down
	})
	if !errors.Is(err, down) {
		t.Fatalf("first delivery: got error %v; want the handler's", err)
	}
	w.runsAgain(t, &e)
}

// handlerPanic: a panic goes on, and leaves the key to the next delivery.
func (w *trial[R]) handlerPanic(t testing.TB) {
	t.Helper()
	var e effects
	const value = "out of cheese"
	got := recovered(func() {
		_, _ = w.deliver(1, func(ctx context.Context) (R, error) {
			_, _ = w.work(&e)(ctx)
			panic(value)
		})
	})
	if got != value {
		t.Fatalf("the handler panicked with %q, the wrapper with %v", value, got)
	}
	w.runsAgain(t, &e)
}

// permanent: what the handler calls final is the outcome, for duplicates too.
func (w *trial[R]) permanent(t testing.TB) {
	t.Helper()
	var e effects
	gone := errors.New("no such recipient")
	fail := func(ctx context.Context) (R, error) {
		result, _ := w.work(&e)(ctx)
		return result, idem.Permanent(gone)
	}
	_, err := w.deliver(1, fail)
	if !errors.Is(err, gone) || !errors.Is(err, idem.ErrFailed) {
		t.Fatalf("first delivery: got error %v; want the handler's, in an *idem.FailedError", err)
	}
	_, err = w.deliver(1, fail)
	var failed *idem.FailedError
	if !errors.As(err, &failed) || failed.Text != gone.Error() {
		t.Fatalf("second delivery: got error %v; want an *idem.FailedError that says %q", err, gone)
	}
	e.want(t, 1, w.key(t, 1))
	w.wantRun(t, idem.StatusFailed, 1)
}

// unclaimed: nobody can tell whose the key is, so nobody runs the handler.
func (w *trial[R]) unclaimed(t testing.TB) {
	t.Helper()
	var e effects
	_, err := w.Deliver(w.message(1, false), down{Store: w.db.Store()}, 1, w.work(&e))
	if !errors.Is(err, errDown) {
		t.Fatalf("without a database: got error %v; want the store's", err)
	}
	if n := e.count(); n != 0 {
		t.Fatalf("the handler ran %d times without a claim", n)
	}
}

func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// runsAgain checks that the delivery after one that failed runs the handler.
func (w *trial[R]) runsAgain(t testing.TB, e *effects) {
	t.Helper()
	e.want(t, 1, w.key(t, 1))
	got, err := w.deliver(1, w.work(e))
	if w.lastAttempt() {
		w.wantDead(t, err)
		e.want(t, 1, w.key(t, 1))
		return
	}
	wantResult(t, "second delivery", got, err, 2)
	w.wantRun(t, idem.StatusDone, 2)
	e.want(t, 2, w.key(t, 1))
}
