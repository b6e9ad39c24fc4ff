package chaos

import (
	"context"
	"sync"
)

// crowd has deliveries of one worker ask the store at the same time: each waits,
// before its claim and before its completion, until all others do, or have left.
// What is asked at once is what a store sends together.
type crowd struct {
	mu      sync.Mutex
	members int
	waiting int
	begin   chan struct{} // closed when all may go on
}

type crowdKey struct{}

// newCrowd returns a crowd, and the context in which its members ask.
func newCrowd(ctx context.Context, members int) (*crowd, context.Context) {
	c := &crowd{members: members, begin: make(chan struct{})}
	return c, context.WithValue(ctx, crowdKey{}, c)
}

// meet waits for the others of a context's crowd, if it has one.
func meet(ctx context.Context) {
	c, ok := ctx.Value(crowdKey{}).(*crowd)
	if !ok {
		return
	}
	c.mu.Lock()
	c.waiting++
	all := c.begin
	c.goOn()
	c.mu.Unlock()
	<-all
}

// leave is for a member that asks for nothing more.
func (c *crowd) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members--
	c.goOn()
}

// goOn lets all go on who wait, if they are all there are.
func (c *crowd) goOn() {
	if c.waiting > 0 && c.waiting >= c.members {
		c.waiting = 0
		close(c.begin)
		c.begin = make(chan struct{})
	}
}
