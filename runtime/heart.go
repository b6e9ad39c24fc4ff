package runtime

import (
	"context"
	"errors"
	"sync"
	"time"
)

// heart keeps the lease of a run while its handler works: it extends the lease
// when a third of it has passed, and ends the handler's context when the lease
// is lost, or is over without an answer from the store. One timer serves both:
// a handler that is quicker than a third of its lease costs no goroutine.
type heart struct {
	store Store
	token Token
	lease time.Duration
	ctx   context.Context         // the handler's
	lose  context.CancelCauseFunc // ends it
	watch *watch

	mu    sync.Mutex
	timer *time.Timer
	end   time.Time // of the lease, by this process
	still bool      // no more beats: the run has ended, or is lost
}

// start begins with a lease that ends at a time of this process. Without
// beats, it only ends the context in time.
func (h *heart) start(end time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end = end
	first := end
	if !h.watch.noHeartbeat {
		first = end.Add(-h.lease * 2 / 3)
	}
	h.timer = time.AfterFunc(time.Until(first), h.fire)
}

// stop has the run end without any more beats. One that is on its way is
// fenced by the run's end.
func (h *heart) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.still = true
	h.timer.Stop()
}

// fire runs when a beat is due, and when the lease is over. A beat is not the
// caller's to cancel: what the handler is about to finish needs the key.
func (h *heart) fire() {
	asked := time.Now()
	end, next := h.due(asked)
	if next == beat {
		ctx, cancel := context.WithDeadline(context.WithoutCancel(h.ctx), end)
		next = h.beaten(asked, h.store.Extend(ctx, h.token, h.lease))
		cancel()
	}
	if next == lose {
		h.lose(ErrLeaseLost)
		h.watch.leaseLost(h.ctx)
	}
}

// step is what a heart does next.
type step int

const (
	rest step = iota
	beat
	lose
)

// due tells what to do now, and when the lease ends. Until a beat is answered,
// the timer stands at that end.
func (h *heart) due(now time.Time) (end time.Time, next step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.still:
		return h.end, rest
	case !now.Before(h.end):
		return h.end, h.lost()
	}
	h.timer.Reset(h.end.Sub(now))
	return h.end, beat
}

// beaten notes what a beat came to. A store returns another error than
// ErrLeaseLost only if it could not find out; there may be time to ask again.
func (h *heart) beaten(asked time.Time, err error) step {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.still:
	case errors.Is(err, ErrLeaseLost):
		return h.lost()
	case err == nil:
		h.end = asked.Add(h.lease)
		h.timer.Reset(time.Until(asked.Add(h.lease / 3)))
	case time.Until(h.end) > h.lease*2/9: // or it would hardly be answered in time
		h.timer.Reset(h.lease / 9)
	}
	return rest
}

func (h *heart) lost() step {
	h.still = true
	h.timer.Stop()
	return lose
}
