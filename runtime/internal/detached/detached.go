// Package detached has contexts for what is to be done although the caller's context
// may have ended. Each has a time limit, whose timer is made when somebody waits for
// it: a completion that goes together with others never does, and a timer for each
// delivery costs more than the delivery's own work.
package detached

import (
	"context"
	"sync"
	"time"
)

// Context has the values of another context, and a deadline of its own.
type Context struct {
	context.Context // that never ends
	deadline        time.Time

	mu     sync.Mutex
	timed  context.Context // nil until somebody waits
	cancel context.CancelFunc
	over   bool // by End
}

// New returns a context that ends when so much time has passed, or by its End.
func New(ctx context.Context, limit time.Duration) *Context {
	return &Context{Context: context.WithoutCancel(ctx), deadline: time.Now().Add(limit)}
}

// End ends the context, and has to be called.
func (c *Context) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.timed != nil {
		c.cancel()
	}
}

// Within is [context.WithTimeout] for one of several tries.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	c, ok := ctx.(*Context)
	if !ok {
		return context.WithTimeout(ctx, limit)
	}
	try := &Context{Context: c.Context, deadline: time.Now().Add(limit)}
	if try.deadline.After(c.deadline) {
		try.deadline = c.deadline
	}
	return try, try.End
}

// limited returns the context that ends.
func (c *Context) limited() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.cancel = context.WithDeadline(c.Context, c.deadline)
		if c.over {
			c.cancel()
		}
	}
	return c.timed
}

// Deadline implements [context.Context].
func (c *Context) Deadline() (time.Time, bool) { return c.deadline, true }

// Done implements [context.Context].
func (c *Context) Done() <-chan struct{} { return c.limited().Done() }

// Err implements [context.Context].
func (c *Context) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.timed != nil:
		return c.timed.Err()
	case c.over:
		return context.Canceled
	case !time.Now().Before(c.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// Value implements [context.Context]. It knows the context that ends, too, so that
// one which is made of this one needs no goroutine.
func (c *Context) Value(key any) any {
	c.mu.Lock()
	ctx := c.timed
	c.mu.Unlock()
	if ctx == nil {
		ctx = c.Context
	}
	return ctx.Value(key)
}
