// Package detached has contexts for what is to be done although the caller's context
// may have ended. Each has a time limit, whose timer is made when somebody waits for
// it: a completion that has a limit for each of its tries never does, and a timer for
// each delivery costs more than the delivery's own work.
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
	if ctx, waited := c.current(); waited {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithTimeout(c.Context, min(limit, time.Until(c.deadline)))
}

// current returns the context that ends, if it has been made.
func (c *Context) current() (context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timed, c.timed != nil
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
func (c *Context) Err() error { return c.limited().Err() }

// Value implements [context.Context]. It knows the context that ends, too, so that
// one which is made of this one needs no goroutine.
func (c *Context) Value(key any) any {
	if ctx, waited := c.current(); waited {
		return ctx.Value(key)
	}
	return c.Context.Value(key)
}
