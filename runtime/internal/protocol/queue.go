package protocol

import (
	"context"
	"errors"
	goruntime "runtime"
	"sync"
	"time"
)

const (
	// maxTogether bounds how many rows go together: more make it hardly
	// cheaper, and each waits for the last.
	maxTogether = 256
	// slow is how long a leader keeps the next from leading beside it. Where
	// the database is near, one at a time has the most go together; where it is
	// far, or where a row is locked, nobody is to wait for the answer to others.
	slow = 2 * time.Millisecond
)

// queue has what is asked at the same time sent together. As long as few ask,
// each goes at once by itself: small companies cost more than they save. Where
// there are more, one leads: as soon as there is a place, it asks for all that wait
// by then. Who comes meanwhile waits; the first of those leads next. So nobody waits
// for company, and the busier a process is, the more go together.
// The leaders are the askers themselves: no goroutine is started.
type queue[Q, A any] struct {
	one func(context.Context, Q) (A, error)
	all func(context.Context, []Q) ([]A, error)
	// apart reports whether each is to be asked alone after an error of all.
	apart  func(error) bool
	always bool // all is asked for one, too
	direct places

	mu      sync.Mutex
	free    int // how many more may lead
	waiting []*asking[Q, A]
	last    int // how many the last leader has led
}

// asking is one who waits. Until wake is closed, what follows it is the
// queue's.
type asking[Q, A any] struct {
	ask    Q
	wake   chan struct{}
	leads  bool
	direct bool // gone by itself at once
	alone  bool // to be asked by itself after all
	answer A
	err    error
}

// places are for what is under way, as many as there are connections. Several
// queues share them. Without any, which is for tests, nobody needs one.
type places chan struct{}

func newPlaces(n int) places { return make(places, n) }

// take takes a place if one is free.
func (p places) take() bool {
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

// wait takes a place when one is free, and returns what gives it back.
func (p places) wait(ctx context.Context) (giveBack func(), err error) {
	if cap(p) == 0 {
		return func() {}, nil
	}
	select {
	case p <- struct{}{}:
		return p.giveBack, nil
	case <-ctx.Done():
		return nil, &UnsentError{Err: ctx.Err()}
	}
}

func (p places) giveBack() { <-p }

// do asks, and returns the answer. It returns an UnsentError if the context
// ends before anything was sent.
func (q *queue[Q, A]) do(ctx context.Context, ask Q) (A, error) {
	a := &asking[Q, A]{ask: ask}
	if !q.enter(a) {
		select {
		case <-a.wake:
		case <-ctx.Done():
			return a.none(), q.leave(ctx, a)
		}
	}
	if a.direct {
		defer q.direct.giveBack()
		return q.one(ctx, ask)
	}
	if a.leads {
		giveBack, err := q.direct.wait(ctx)
		if err != nil {
			q.pass()
			return a.none(), err
		}
		defer giveBack()
		defer q.lead()()
		goruntime.Gosched() // those who are about to ask come along
		q.together(ctx, a, q.take())
	}
	if a.alone {
		return q.one(ctx, ask)
	}
	return a.unless(ctx)
}

// unless returns the answer, unless the context has ended: what came of it,
// nobody waits for then.
func (a *asking[Q, A]) unless(ctx context.Context) (A, error) {
	if err := ctx.Err(); err != nil {
		return a.none(), err
	}
	return a.answer, a.err
}

func (*asking[Q, A]) none() (none A) { return none }

// enter reports whether the asker may ask at once. Otherwise it has to wait.
func (q *queue[Q, A]) enter(a *asking[Q, A]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.calm() && q.direct.take():
		a.direct = true
		return true
	case len(q.waiting) == 0 && q.free > 0:
		q.free--
		a.leads = true
		return true
	}
	a.wake = make(chan struct{})
	q.waiting = append(q.waiting, a)
	return false
}

// calm reports whether so few ask that one who comes may go by itself: nobody
// leads or waits, and who led last would have had a place for each.
func (q *queue[Q, A]) calm() bool {
	return len(q.waiting) == 0 && q.free > 0 && q.last < cap(q.direct)
}

// leave is for one whose context has ended. If it is under way with others, it
// does not wait for what becomes of it.
func (q *queue[Q, A]) leave(ctx context.Context, a *asking[Q, A]) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.waiting {
		if other == a {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			return &UnsentError{Err: ctx.Err()}
		}
	}
	if a.leads {
		q.passOn()
		return &UnsentError{Err: ctx.Err()}
	}
	return ctx.Err()
}

// lead begins to lead; the func that it returns ends it, if it has not taken
// so long that the next leads already.
func (q *queue[Q, A]) lead() (end func()) {
	var once sync.Once
	pass := func() { once.Do(q.pass) }
	timer := time.AfterFunc(slow, pass)
	return func() {
		timer.Stop()
		pass()
	}
}

func (q *queue[Q, A]) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.passOn()
}

// passOn has the next one lead.
func (q *queue[Q, A]) passOn() {
	if len(q.waiting) == 0 {
		q.free++
		return
	}
	next := q.waiting[0]
	q.waiting = q.waiting[1:]
	next.leads = true
	close(next.wake)
}

// take returns those that go along with a leader.
func (q *queue[Q, A]) take() []*asking[Q, A] {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxTogether-1)
	q.last = n
	taken := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return taken
}

// together asks for a leader and who goes along. One who leads nobody is to ask
// alone.
func (q *queue[Q, A]) together(ctx context.Context, leader *asking[Q, A], others []*asking[Q, A]) {
	if len(others) == 0 && !q.always {
		leader.alone = true
		return
	}
	q.ask(ctx, append([]*asking[Q, A]{leader}, others...), others)
}

// errBroken is what those get whose leader panicked: nobody knows what became of
// what was asked.
var errBroken = errors.New("what was sent together ended in a panic")

// ask asks for some at once, detached from the cancellation of who does it, which
// is not that of all. Those who wait are woken, whatever happens.
func (q *queue[Q, A]) ask(ctx context.Context, some, waiting []*asking[Q, A]) {
	defer func() {
		for _, a := range waiting {
			close(a.wake)
		}
	}()
	asks := make([]Q, len(some))
	for i, a := range some {
		asks[i], a.err = a.ask, errBroken
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryTimeout)
	defer cancel()
	answers, err := q.all(ctx, asks)
	for i, a := range some {
		q.tell(a, i, answers, err)
	}
}

func (q *queue[Q, A]) tell(a *asking[Q, A], i int, answers []A, err error) {
	switch {
	case err == nil:
		a.answer, a.err = answers[i], nil
	case q.apart(err):
		a.alone = true
	default:
		a.err = err
	}
}
