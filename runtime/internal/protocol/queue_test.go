package protocol

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/internal/detached"
)

var errCut = errors.New("connection reset by peer")

// tick is how long an answer takes: so little that nobody waits for too long.
const tick = slow / 5

// desk is a queue whose askers ask for their own names.
type desk struct {
	*queue[string, string]
	logging sync.Mutex
	sent    []string // what went out, in the order it did
}

func newDesk(fail func(asks []string) error) *desk {
	d := new(desk)
	serve := func(ctx context.Context, asks ...string) error {
		d.logging.Lock()
		d.sent = append(d.sent, strings.Join(asks, "+"))
		d.logging.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(tick):
		}
		return fail(asks)
	}
	d.queue = &queue[string, string]{
		spare: new(sync.Pool),
		door:  &door{conns: 100},
		one: func(ctx context.Context, ask string) (string, error) {
			return "for " + ask, serve(ctx, ask)
		},
		all: func(ctx context.Context, asks []string) ([]string, error) {
			var answers []string
			for _, ask := range asks {
				answers = append(answers, "for "+ask)
			}
			return answers, serve(ctx, asks...)
		},
		apart: func(err error) bool { return !errors.Is(err, errCut) },
	}
	return d
}

func never([]string) error { return nil }

// asked is one who asks in a goroutine of its own, and keeps what it was answered.
type asked struct {
	answer string
	err    error
	took   time.Duration
}

func (d *desk) ask(ctx context.Context, name string) *asked {
	a := new(asked)
	start := time.Now()
	go func() {
		a.answer, a.err = d.answer(ctx, name)
		a.took = time.Since(start)
	}()
	synctest.Wait()
	return a
}

func (d *desk) answer(ctx context.Context, name string) (string, error) {
	a := d.do(ctx, d.asking(name))
	defer d.put(a)
	return a.answer, a.err
}

func (d *desk) wantSent(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	d.logging.Lock()
	defer d.logging.Unlock()
	if !slices.Equal(d.sent, want) {
		t.Errorf("sent %q; want %q", d.sent, want)
	}
}

// wantLeft looks for what stays when all have been answered.
func (d *desk) wantLeft(t *testing.T) {
	t.Helper()
	if d.leading || len(d.waiting) != 0 {
		t.Errorf("in the end: leading %v, %d wait", d.leading, len(d.waiting))
	}
	if door := d.door; door.shut || door.out != 0 || len(door.waiting) != 0 || door.here.Load() != 0 {
		t.Errorf("in the end: shut %v, %d out, %d in line, %d here", door.shut, door.out, len(door.waiting), door.here.Load())
	}
}

func (a *asked) want(t *testing.T, answer string, err error) {
	t.Helper()
	synctest.Wait()
	if !errors.Is(a.err, err) || err == nil && (a.err != nil || a.answer != answer) {
		t.Errorf("answered %q, %v; want %q, %v", a.answer, a.err, answer, err)
	}
}

func inBubble(t *testing.T, fail func([]string) error, test func(*testing.T, *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(fail)
		test(t, d)
		synctest.Wait()
		d.wantLeft(t)
	})
}

// Nobody waits for company: the first goes at once, and those that come
// meanwhile go together right after it.
func TestThoseThatComeMeanwhileGoTogether(t *testing.T) {
	inBubble(t, never, func(t *testing.T, d *desk) {
		a := d.ask(t.Context(), "a")
		b, c := d.ask(t.Context(), "b"), d.ask(t.Context(), "c")
		time.Sleep(3 * tick)
		e := d.ask(t.Context(), "e")
		time.Sleep(tick)
		d.wantSent(t, "a", "b+c", "e")
		for name, a := range map[string]*asked{"a": a, "b": b, "c": c, "e": e} {
			a.want(t, "for "+name, nil)
		}
		if a.took != tick || c.took != 2*tick || e.took != tick {
			t.Errorf("took %v, %v, %v", a.took, c.took, e.took)
		}
	})
}

func TestNoMoreThanSoManyGoTogether(t *testing.T) {
	inBubble(t, never, func(t *testing.T, d *desk) {
		all := []*asked{d.ask(t.Context(), "x")}
		for range 2 * maxTogether {
			all = append(all, d.ask(t.Context(), "x"))
		}
		time.Sleep(10 * tick)
		for _, a := range all {
			a.want(t, "for x", nil)
		}
		if len(d.sent) != 3 || strings.Count(d.sent[1], "x") != maxTogether || strings.Count(d.sent[2], "x") != maxTogether {
			t.Errorf("sent %d times, %d at once", len(d.sent), strings.Count(d.sent[1], "x"))
		}
	})
}

// Of one whose context ends while it waits, nothing is sent.
func TestGivenUpWhileWaiting(t *testing.T) {
	for _, who := range []string{"b", "c"} { // the next leader, and another
		inBubble(t, never, func(t *testing.T, d *desk) {
			ctx, cancel := context.WithCancel(t.Context())
			of := func(name string) context.Context {
				if name == who {
					return ctx
				}
				return t.Context()
			}
			d.ask(t.Context(), "a")
			asked := map[string]*asked{"b": d.ask(of("b"), "b"), "c": d.ask(of("c"), "c"), "d": d.ask(of("d"), "d")}
			cancel()
			time.Sleep(5 * tick)
			left := strings.ReplaceAll(strings.ReplaceAll("b+c+d", who+"+", ""), "+"+who, "")
			d.wantSent(t, "a", left)
			for name, a := range asked {
				if name == who {
					a.want(t, "", context.Canceled)
					if !IsUnsent(a.err) || a.took != 0 {
						t.Errorf("%v after %v", a.err, a.took)
					}
				} else {
					a.want(t, "for "+name, nil)
				}
			}
		})
	}
}

// One whose context ends under way does not know what became of it, and the
// others get their answers, also when it is the one that leads.
func TestGivenUpUnderWay(t *testing.T) {
	for _, who := range []string{"b", "c"} {
		inBubble(t, never, func(t *testing.T, d *desk) {
			ctx, cancel := context.WithCancel(t.Context())
			d.ask(t.Context(), "a")
			contexts := map[string]context.Context{"b": t.Context(), "c": t.Context()}
			contexts[who] = ctx
			b, c := d.ask(contexts["b"], "b"), d.ask(contexts["c"], "c")
			time.Sleep(tick)
			synctest.Wait()
			cancel()
			time.Sleep(5 * tick)
			d.wantSent(t, "a", "b+c")
			for name, a := range map[string]*asked{"b": b, "c": c} {
				if name != who {
					a.want(t, "for "+name, nil)
				} else if a.want(t, "", context.Canceled); IsUnsent(a.err) {
					t.Errorf("%v, which was sent", a.err)
				} else if leads := name == "b"; (a.took > tick) != leads {
					t.Errorf("%s took %v: the one that sends waits for the answer, and no other", name, a.took)
				}
			}
		})
	}
}

// What the database refuses of all is asked for each alone; an answer that got
// lost is nobody's.
func TestErrorsOfMany(t *testing.T) {
	bad := errors.New("text cannot hold NUL")
	inBubble(t, func(asks []string) error {
		if slices.Contains(asks, "b") {
			return bad
		}
		return nil
	}, func(t *testing.T, d *desk) {
		d.ask(t.Context(), "a")
		b, c, e := d.ask(t.Context(), "b"), d.ask(t.Context(), "c"), d.ask(t.Context(), "e")
		time.Sleep(10 * tick)
		synctest.Wait()
		if len(d.sent) != 5 || d.sent[1] != "b+c+e" {
			t.Errorf("sent %q; want a, all, and each alone", d.sent)
		}
		b.want(t, "", bad)
		c.want(t, "for c", nil)
		e.want(t, "for e", nil)
	})
	inBubble(t, func(asks []string) error {
		if len(asks) > 1 {
			return fmt.Errorf("receive: %w", errCut)
		}
		return nil
	}, func(t *testing.T, d *desk) {
		d.ask(t.Context(), "a")
		b, c := d.ask(t.Context(), "b"), d.ask(t.Context(), "c")
		time.Sleep(10 * tick)
		d.wantSent(t, "a", "b+c")
		b.want(t, "", errCut)
		c.want(t, "", errCut)
	})
}

// Who has been out for long, because of a lock or a slow network, does not keep the
// next from leading, and does not let anybody out beside that one when it is back.
func TestSlowLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locked, lockedToo := make(chan struct{}), make(chan struct{})
		d := newDesk(func(asks []string) error {
			switch asks[0] {
			case "slow":
				<-locked
			case "b":
				<-lockedToo
			}
			return nil
		})
		s := d.ask(t.Context(), "slow")
		b, c := d.ask(t.Context(), "b"), d.ask(t.Context(), "c")
		time.Sleep(slow - 1)
		d.wantSent(t, "slow")
		time.Sleep(time.Nanosecond)
		d.wantSent(t, "slow", "b+c")
		time.Sleep(tick)
		d.ask(t.Context(), "e")
		close(locked)
		time.Sleep(tick)
		s.want(t, "for slow", nil)
		d.wantSent(t, "slow", "b+c")
		close(lockedToo)
		d.wantSent(t, "slow", "b+c", "e")
		b.want(t, "for b", nil)
		c.want(t, "for c", nil)
		time.Sleep(2 * tick)
		synctest.Wait()
		if d.door.late != 1 {
			t.Errorf("%d were late; want the one that went alone", d.door.late)
		}
		d.wantLeft(t)
	})
}

// Who waits for an answer, and whom nobody cancels, looks at no clock: the one who asks for
// all does.
func TestNobodyWatchesTheClock(t *testing.T) {
	inBubble(t, never, func(t *testing.T, d *desk) {
		d.ask(t.Context(), "a")
		d.ask(t.Context(), "b")
		ctx := detached.New(t.Context(), tick)
		defer ctx.End()
		c := d.ask(ctx, "c")
		time.Sleep(5 * tick)
		if c.want(t, "for c", nil); c.took != 2*tick {
			t.Errorf("took %v", c.took)
		}
	})
}

// One who does not wait any more while it is under way is not kept for another one, who
// would get its answer.
func TestNobodyGetsTheAnswerOfOneWhoHasGone(t *testing.T) {
	inBubble(t, never, func(t *testing.T, d *desk) {
		ctx, cancel := context.WithCancel(t.Context())
		d.ask(t.Context(), "a")
		d.ask(t.Context(), "b")
		c := d.ask(ctx, "c")
		time.Sleep(tick + tick/2)
		d.wantSent(t, "a", "b+c")
		cancel()
		c.want(t, "", context.Canceled)
		var others []*asked
		for range 3 {
			others = append(others, d.ask(t.Context(), "d"))
		}
		time.Sleep(5 * tick)
		for _, other := range others {
			other.want(t, "for d", nil)
		}
	})
}

// Who is to lead just when its context ends has the next one lead.
func TestGivenUpWhenItIsToLead(t *testing.T) {
	d := newDesk(never)
	d.leading = true
	first, second := d.asking("first"), d.asking("second")
	d.enter(first)
	d.enter(second)
	d.passOn()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.leave(ctx, first); !first.leads || !IsUnsent(err) || !second.leads {
		t.Errorf("the first was to lead: %v, and got %v; the second is: %v", first.leads, err, second.leads)
	}
}
