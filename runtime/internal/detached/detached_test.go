package detached_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/internal/detached"
)

type key struct{}

func caller(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	cancel()
	return ctx
}

func wantOpen(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	select {
	case <-ctx.Done():
		t.Errorf("%s has ended: %v", name, ctx.Err())
	default:
		if ctx.Err() != nil || ctx.Value(key{}) != "value" {
			t.Errorf("%s: %v, with %v", name, ctx.Err(), ctx.Value(key{}))
		}
	}
}

func wantEnded(ctx context.Context, t *testing.T, name string, want error) {
	t.Helper()
	synctest.Wait()
	select {
	case <-ctx.Done():
		if !errors.Is(ctx.Err(), want) {
			t.Errorf("%s has ended with %v; want %v", name, ctx.Err(), want)
		}
	default:
		t.Errorf("%s has not ended", name)
	}
}

// The caller's end is not its own, and its time is limited, whether somebody waits
// from the beginning on or asks later.
func TestContextEndsInTime(t *testing.T) {
	for _, waits := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ctx := detached.New(caller(t), time.Minute)
			defer ctx.End()
			if end, ok := ctx.Deadline(); !ok || time.Until(end) != time.Minute {
				t.Errorf("deadline %v, %v", end, ok)
			}
			if waits {
				wantOpen(ctx, t, "the context")
			}
			time.Sleep(time.Minute)
			wantEnded(ctx, t, "the context", context.DeadlineExceeded)
		})
	}
}

// A try ends with its own limit, and with that of all tries.
func TestWithin(t *testing.T) {
	for _, waits := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ctx := detached.New(caller(t), 8*time.Second)
			defer ctx.End()
			if waits {
				wantOpen(ctx, t, "the context")
			}
			for _, limit := range []time.Duration{5 * time.Second, 3 * time.Second} {
				start := time.Now()
				try, cancel := detached.Within(ctx, 5*time.Second)
				wantOpen(try, t, "the try")
				<-try.Done()
				wantEnded(try, t, "the try", context.DeadlineExceeded)
				if took := time.Since(start); took != limit {
					t.Errorf("the try took %v; want %v", took, limit)
				}
				cancel()
			}
			wantEnded(ctx, t, "the context", context.DeadlineExceeded)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		parent, cancelAll := context.WithCancel(t.Context())
		try, cancel := detached.Within(parent, time.Minute)
		defer cancel()
		cancelAll()
		wantEnded(try, t, "the try of any context", context.Canceled)
	})
}

// Nobody goes on waiting after the end, for a context, for one that is made of it,
// or for one that is made too late.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := detached.New(caller(t), time.Minute)
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		wantOpen(child, t, "a child")
		ctx.End()
		wantEnded(ctx, t, "the context", context.Canceled)
		wantEnded(child, t, "a child", context.Canceled)

		ctx = detached.New(caller(t), time.Minute)
		ctx.End()
		wantEnded(ctx, t, "the context", context.Canceled)
	})
}

// What this is for: a try that nobody waits for costs less than a context that may end
// does, and has no timer.
func TestTryIsCheap(t *testing.T) {
	parent := caller(t)
	once := func(f func()) float64 { return testing.AllocsPerRun(100, f) }
	timed := once(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(parent), time.Minute)
		defer cancel()
		_ = ctx.Done()
	})
	both := once(func() {
		ctx := detached.New(parent, time.Hour)
		defer ctx.End()
		try, cancel := detached.Within(ctx, time.Minute)
		defer cancel()
		_, _ = try.Err(), try.Value(key{})
	})
	if both >= timed {
		t.Errorf("%v allocations, and %v for a context with a timer", both, timed)
	}
}

// Its end is known to those who do not wait for it.
func TestErr(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := detached.New(caller(t), time.Minute)
		try, cancel := detached.Within(ctx, time.Hour)
		time.Sleep(time.Minute - 1)
		if ctx.Err() != nil || try.Err() != nil {
			t.Errorf("ended before its time: %v, %v", ctx.Err(), try.Err())
		}
		time.Sleep(time.Nanosecond)
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) || !errors.Is(try.Err(), context.DeadlineExceeded) {
			t.Errorf("ended with %v, the try with %v", ctx.Err(), try.Err())
		}
		try, _ = detached.Within(detached.New(caller(t), time.Minute), time.Hour)
		cancel()
		ctx = detached.New(caller(t), time.Minute)
		ctx.End()
		if !errors.Is(ctx.Err(), context.Canceled) || try.Err() != nil {
			t.Errorf("ended with %v; what has not ended with %v", ctx.Err(), try.Err())
		}
	})
}
