package protocol

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff is a series of pauses, each about twice as long as the one before.
type Backoff struct {
	next time.Duration
	most time.Duration
	end  time.Time
}

// NewBackoff returns a series of pauses, of which the first is about as long
// as first and none longer than most. It ends when patience has passed from
// now, whatever was done between the pauses.
func NewBackoff(first, most, patience time.Duration) *Backoff {
	return &Backoff{next: first, most: most, end: time.Now().Add(patience)}
}

// Wait pauses, and reports whether to try again: false when the series or
// the context is at its end.
func (b *Backoff) Wait(ctx context.Context) bool {
	if !time.Now().Before(b.end) || ctx.Err() != nil {
		return false
	}
	// Half of it at random, so that those who collided once do not go on
	// colliding in step.
	timer := time.NewTimer(b.next/2 + rand.N(b.next/2+1))
	defer timer.Stop()
	b.next = min(2*b.next, b.most)
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
