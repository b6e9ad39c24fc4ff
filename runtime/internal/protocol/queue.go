package protocol

import (
	"context"
	"errors"
	goruntime "runtime"
	"sync"

	"github.com/idemgen/idemgen/runtime/internal/detached"
)

// maxTogether bounds how many rows go together: more make it hardly cheaper, and
// each waits for the last.
const maxTogether = 256

// queue has what is asked at the same time sent together. Who finds the door open
// goes at once by himself, unless there is a crowd. Otherwise one leads: he waits at
// the door, and then asks for all that wait by then. Who comes meanwhile waits; the
// first of those leads next. So nobody waits for company, or long for another
// one's answer, and the busier a process is, the more go together. The leaders are the
// askers themselves: no goroutine is started.
type queue[Q, A any] struct {
	one func(context.Context, Q) (A, error)
	all func(context.Context, []Q) ([]A, error)
	// apart reports whether each is to be asked alone after an error of all.
	apart  func(error) bool
	always bool // all is asked for one, too
	door   *door

	mu      sync.Mutex
	leading bool // somebody waits at the door
	waiting []*asking[Q, A]

	spare *sync.Pool // of askings, for there are two in each delivery
}

// The askings of all queues, by what they ask.
var spareInserts, spareFinds, spareCompletes sync.Pool

// asking is one who asks, and the answer. Until it is woken, what follows is the
// queue's.
type asking[Q, A any] struct {
	ask    Q
	wake   chan struct{} // has room for the one time that it is
	leads  bool
	alone  bool // to be asked by itself after all
	answer A
	err    error
}

// do asks, and returns the one who has the answer. The error is an UnsentError if
// the context ends before anything was sent.
func (q *queue[Q, A]) do(ctx context.Context, a *asking[Q, A]) *asking[Q, A] {
	here := q.door.here.Add(1)
	defer q.door.here.Add(-1)
	if !q.always {
		if out, ok := q.door.try(int(here)); ok {
			defer out.answered()
			return q.byItself(ctx, a)
		}
	}
	if !q.enter(a) {
		select {
		case <-a.wake:
		case <-end(ctx):
			return gone[Q, A](q.leave(ctx, a))
		}
	}
	if a.leads {
		out, err := q.door.wait(ctx)
		if err != nil {
			q.pass()
			return gone[Q, A](err)
		}
		defer out.back()
		goruntime.Gosched() // those who are about to ask come along
		q.together(ctx, a, q.take())
	}
	return q.answered(ctx, a)
}

// answered is one who was woken. If its context was cancelled, nobody waits for what
// came of it.
func (q *queue[Q, A]) answered(ctx context.Context, a *asking[Q, A]) *asking[Q, A] {
	if a.alone {
		return q.byItself(ctx, a)
	}
	if err := ctx.Err(); err != nil && end(ctx) != nil {
		return gone[Q, A](err)
	}
	return a
}

func (q *queue[Q, A]) byItself(ctx context.Context, a *asking[Q, A]) *asking[Q, A] {
	a.answer, a.err = q.one(ctx, a.ask)
	return a
}

// gone is in the place of one who does not wait any more, and may still be the queue's.
func gone[Q, A any](err error) *asking[Q, A] { return &asking[Q, A]{err: err} }

// end is what ends somebody's waiting for an answer, beside the answer. A context
// that nobody cancels ends nothing, or each who waits would need a timer: who asks for
// all has a time limit, and wakes them.
func end(ctx context.Context) <-chan struct{} {
	if _, timed := ctx.(*detached.Context); timed {
		return nil
	}
	return ctx.Done()
}

func (q *queue[Q, A]) asking(ask Q) *asking[Q, A] {
	a, ok := q.spare.Get().(*asking[Q, A])
	if !ok {
		a = new(asking[Q, A])
	}
	a.ask = ask
	return a
}

// put keeps for another one who has the answer.
func (q *queue[Q, A]) put(a *asking[Q, A]) {
	*a = asking[Q, A]{}
	q.spare.Put(a)
}

// enter reports whether the asker leads. Otherwise it has to wait.
func (q *queue[Q, A]) enter(a *asking[Q, A]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.leading && len(q.waiting) == 0 {
		q.leading, a.leads = true, true
		return true
	}
	a.wake = make(chan struct{}, 1)
	q.waiting = append(q.waiting, a)
	return false
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

func (q *queue[Q, A]) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.passOn()
}

// passOn has the next one lead.
func (q *queue[Q, A]) passOn() {
	q.leading = len(q.waiting) > 0
	if !q.leading {
		return
	}
	next := q.waiting[0]
	q.waiting = q.waiting[1:]
	next.leads = true
	next.wake <- struct{}{}
}

// take returns those that go along with a leader, and has the next one lead.
func (q *queue[Q, A]) take() []*asking[Q, A] {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxTogether-1)
	q.door.led(n > 0)
	taken := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	q.passOn()
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
			a.wake <- struct{}{}
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
