package protocol

import (
	"context"
	"slices"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

const (
	// gatherPatience is how long a batch waits for its last: a handler that
	// takes long must not keep the results of the others from being stored.
	gatherPatience = time.Second
	// maxGathered bounds how many rows of a batch go out at once.
	maxGathered = 1000
)

// Gathering is a table for the deliveries of a batch, which are made at the same
// time. What they ask goes out together when each of them waits for an answer, or
// has left, or after a second.
type Gathering struct {
	Many
	inserts   gathered[idem.ClaimRequest, Found]
	finds     gathered[idem.Key, Found]
	completes gathered[End, bool]

	mu      sync.Mutex
	active  int // who has not left
	waiting int
	late    *time.Timer
}

// gathered is what is to go out of one kind.
type gathered[Q, A any] struct {
	queue[Q, A]
}

// Gather returns a table for so many deliveries.
func Gather(t Many, n int) *Gathering {
	g := &Gathering{Many: t, active: n}
	g.inserts.set(t, &spareInserts, found(t.Insert), t.InsertAll)
	g.finds.set(t, &spareFinds, found(t.Find), t.FindAll)
	g.completes.set(t, &spareCompletes, completed(t), t.CompleteAll)
	return g
}

// Insert implements [Table].
func (g *Gathering) Insert(ctx context.Context, req idem.ClaimRequest) (idem.Record, bool, error) {
	a := gather(ctx, g, &g.inserts, g.inserts.asking(req))
	defer g.inserts.put(a)
	return a.answer.Record, a.answer.OK, a.err
}

// Find implements [Table].
func (g *Gathering) Find(ctx context.Context, key idem.Key) (idem.Record, bool, error) {
	a := gather(ctx, g, &g.finds, g.finds.asking(key))
	defer g.finds.put(a)
	return a.answer.Record, a.answer.OK, a.err
}

// Complete implements [Table].
func (g *Gathering) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) (bool, error) {
	a := gather(ctx, g, &g.completes, g.completes.asking(End{token, outcome}))
	defer g.completes.put(a)
	return a.answer, a.err
}

// Leave is for a delivery that has ended: nobody is to wait for it.
func (g *Gathering) Leave() {
	g.mu.Lock()
	g.active--
	send := g.ready()
	g.mu.Unlock()
	send(context.Background())
}

// gather has something go out with what the others ask, and returns the one who has
// the answer.
func gather[Q, A any](ctx context.Context, g *Gathering, of *gathered[Q, A], a *asking[Q, A]) *asking[Q, A] {
	a.wake = make(chan struct{}, 1)
	g.mu.Lock()
	of.waiting = append(of.waiting, a)
	g.waiting++
	send := g.ready()
	g.mu.Unlock()
	send(ctx)
	select {
	case <-a.wake:
		return of.answered(ctx, a)
	case <-end(ctx):
		return gone[Q, A](g.giveUp(ctx, func() bool { return remove(&of.waiting, a) }))
	}
}

// giveUp is for one whose context has ended. If it is under way with others, it
// does not wait for what becomes of it.
func (g *Gathering) giveUp(ctx context.Context, removed func() bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !removed() {
		return ctx.Err()
	}
	g.waiting--
	return &UnsentError{Err: ctx.Err()}
}

func remove[T comparable](list *[]T, item T) bool {
	i := slices.Index(*list, item)
	if i < 0 {
		return false
	}
	*list = slices.Delete(*list, i, i+1)
	return true
}

// ready returns what sends all that is asked, if nobody else will ask soon, and
// otherwise has it sent in a while.
func (g *Gathering) ready() (send func(context.Context)) {
	switch {
	case g.waiting > 0 && g.waiting == g.active:
		return g.take()
	case g.waiting > 0 && g.late == nil:
		g.late = time.AfterFunc(gatherPatience, func() {
			g.mu.Lock()
			send := g.take()
			g.mu.Unlock()
			send(context.Background())
		})
	}
	return func(context.Context) {}
}

// take returns what sends all that is asked.
func (g *Gathering) take() (send func(context.Context)) {
	if g.late != nil {
		g.late.Stop()
		g.late = nil
	}
	g.waiting = 0
	inserts, finds, completes := g.inserts.take(), g.finds.take(), g.completes.take()
	return func(ctx context.Context) {
		// Deferred, so that one which panics leaves nobody waiting.
		defer g.finds.send(ctx, finds)
		defer g.inserts.send(ctx, inserts)
		g.completes.send(ctx, completes) // what is done is to be kept first
	}
}

func (of *gathered[Q, A]) set(t Table, spare *sync.Pool, one func(context.Context, Q) (A, error), all func(context.Context, []Q) ([]A, error)) {
	of.one, of.all, of.apart, of.spare = one, all, refused(t), spare
}

func (of *gathered[Q, A]) take() []*asking[Q, A] {
	taken := of.waiting
	of.waiting = nil
	return taken
}

func (of *gathered[Q, A]) send(ctx context.Context, list []*asking[Q, A]) {
	if len(list) == 0 {
		return
	}
	some := list[:min(len(list), maxGathered)]
	defer of.send(ctx, list[len(some):])
	of.ask(ctx, some, some)
}
