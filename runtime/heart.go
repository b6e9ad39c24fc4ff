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

	mu    sync.Mutex
	timer *time.Timer
	end   time.Time // of the lease, by this process
	still bool      // no more beats: the run has ended, or is lost
}

// start begins with a lease that ends at a time of this process. Without
// beats, it only ends the context in time.
func (h *heart) start(end time.Time, beats bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end = end
	first := end
	if beats {
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
	end, due := h.due(asked)
	if !due {
		return
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(h.ctx), end)
	defer cancel()
	h.beaten(asked, h.store.Extend(ctx, h.token, h.lease))
}

// due reports whether there is a beat to be made, and when the lease ends.
// Until the beat is answered, the timer stands at that end.
func (h *heart) due(now time.Time) (end time.Time, due bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.still:
		return h.end, false
	case !now.Before(h.end):
		h.lost()
		return h.end, false
	}
	h.timer.Reset(h.end.Sub(now))
	return h.end, true
}

// beaten notes what a beat came to. A store returns another error than
// ErrLeaseLost only if it could not find out; there may be time to ask again.
func (h *heart) beaten(asked time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.still:
	case errors.Is(err, ErrLeaseLost):
		h.lost()
	case err == nil:
		h.end = asked.Add(h.lease)
		h.timer.Reset(time.Until(asked.Add(h.lease / 3)))
	case time.Until(h.end) > h.lease*2/9: // or it would hardly be answered in time
		h.timer.Reset(h.lease / 9)
	}
}

func (h *heart) lost() {
	h.still = true
	h.timer.Stop()
	h.lose(ErrLeaseLost)
}
