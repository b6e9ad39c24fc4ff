package runtime_test

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

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// notes is an observer that writes down what it is told.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notes) take() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := strings.Join(n.lines, "; ")
	n.lines = nil
	return lines
}

func told(ctx context.Context, job idem.Job) string {
	known, ok := idem.KeyFromContext(ctx)
	if !ok || known != job.Key || ctx.Value(traceKey{}) != "trace" {
		return "under another context"
	}
	return fmt.Sprintf("%s %s %s %d", job.Handler, job.Key, job.Delivery.MessageID, job.Attempt)
}

func (n *notes) Received(ctx context.Context, job idem.Job) { n.add("received %s", told(ctx, job)) }

func (n *notes) Ended(ctx context.Context, job idem.Job, end idem.End) {
	n.add("ended %s: %s after %v, %q", told(ctx, job), end.Answer, end.Duration, end.Text)
	if (end.Err == nil) != (end.Text == "") {
		n.add("error %v", end.Err)
	}
}

func (n *notes) LeaseLost(ctx context.Context, job idem.Job) {
	n.add("lease lost %s: %v", told(ctx, job), context.Cause(ctx))
}

// What observers are told, of every way that a delivery can end.
func TestObserver(t *testing.T) {
	second := func(err error) func(context.Context) (receipt, error) {
		return func(context.Context) (receipt, error) { time.Sleep(time.Second); return receipt{}, err }
	}
	never := func(context.Context) (receipt, error) { panic("it has no key") }
	as := func(rec idem.Record, err error) func(idem.ClaimRequest) (idem.Record, error) {
		return func(req idem.ClaimRequest) (idem.Record, error) {
			if rec.Handler == "" {
				rec.Handler = req.Handler
			}
			rec.Key = req.Key
			if rec.HeldBy(idem.Owner{}) {
				rec.Owner, rec.Remaining = req.Owner, req.Lease
			}
			return rec, err
		}
	}
	attempt := func(attempt, holds int) func(idem.ClaimRequest) (idem.Record, error) {
		return as(idem.Record{Status: idem.StatusRunning, Attempt: attempt, Holds: holds}, nil)
	}
	lost := &scripted{
		completed: func(context.Context, idem.Outcome) error { return idem.ErrLeaseLost },
		released:  func(context.Context, idem.Release) error { return errDown },
	}
	cause := errors.New("429")
	for _, tt := range []struct {
		name   string
		claim  func(idem.ClaimRequest) (idem.Record, error)
		handle func(context.Context) (receipt, error)
		store  *scripted
		want   string
	}{
		{"done", attempt(1, 0), second(nil), nil, `1: done after 1s, ""`},
		{"failed", attempt(1, 0), second(idem.Permanent(cause)), nil, `1: failed after 1s, "idem: notify \"notify:1\": failed permanently: 429"`},
		{"held", attempt(5, 0), second(idem.RetryAfter(time.Hour, cause)), nil, `5: held after 1s, "idem: notify \"notify:1\": held; retry after 1h0m0s: 429"`},
		{"retry", attempt(4, 0), second(cause), nil, `4: retry after 1s, "429"`},
		{"retry, thanks to a hold", attempt(5, 1), second(cause), nil, `5: retry after 1s, "429"`},
		{"dead", attempt(5, 0), second(cause), nil, `5: dead after 1s, "429"`},
		{"panic", attempt(6, 2), func(context.Context) (receipt, error) { panic(cause) }, nil, `6: retry after 0s, "panic: 429"`},
		{"panic of the last attempt", attempt(5, 0), func(context.Context) (receipt, error) { panic(cause) }, nil, `5: dead after 0s, "panic: 429"`},
		{"completion fenced", attempt(1, 0), second(nil), lost, `1: lease_lost after 1s, "idem: complete notify \"notify:1\": lease lost"`},
		{"failure fenced", attempt(1, 0), second(idem.Permanent(cause)), lost, `1: lease_lost after 1s, "429\nidem: complete notify \"notify:1\": lease lost"`},
		{"release unknown", attempt(1, 0), second(cause), lost, `1: unknown after 1s, "429\nidem: release notify \"notify:1\": connection refused"`},
		{"hold unknown", attempt(1, 0), second(idem.RetryAfter(0, cause)), lost, `1: unknown after 1s, "429\nidem: release notify \"notify:1\": connection refused"`},
		{"panic unknown", attempt(1, 0), func(context.Context) (receipt, error) { panic(cause) }, lost, `1: unknown after 0s, "panic: 429"`},
		{"replayed", as(idem.Record{Status: idem.StatusDone, Attempt: 2, Result: []byte("{}")}, nil), never, nil, `2: replayed after 0s, ""`},
		{"in progress", as(idem.Record{Status: idem.StatusWaiting, Attempt: 2}, nil), never, nil,
			`2: in_progress after 0s, "idem: claim notify \"notify:1\": in progress; retry after 0s"`},
		{"failed before", as(idem.Record{Status: idem.StatusFailed, Attempt: 2, Error: "no"}, nil), never, nil,
			`2: refused after 0s, "idem: notify \"notify:1\": failed permanently: no"`},
		{"dead before", as(idem.Record{Status: idem.StatusDead, Attempt: 6, Error: "no"}, nil), never, nil,
			`6: refused after 0s, "idem: claim notify \"notify:1\": attempts used up: last error: no"`},
		{"another's", as(idem.Record{Handler: "charge", Status: idem.StatusDone, Attempt: 1}, nil), never, nil,
			`1: refused after 0s, "idem: claim notify \"notify:1\": key stands for other work: of handler charge"`},
		{"no result", as(idem.Record{Status: idem.StatusDone, Attempt: 1, Error: "no"}, nil), never, nil,
			`1: refused after 0s, "idem: replay notify \"notify:1\": done, but its result is not stored: no"`},
		{"lost while it was claimed", as(idem.Record{}, idem.ErrLeaseLost), never, nil, `0: lease_lost after 0s, "idem: claim notify \"notify:1\": lease lost"`},
		{"no answer", as(idem.Record{}, errDown), never, nil, `0: unknown after 0s, "idem: claim notify \"notify:1\": connection refused"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := context.WithValue(idem.WithDelivery(t.Context(), idem.Delivery{MessageID: "m1"}), traceKey{}, "trace")
				store := tt.store
				if store == nil {
					store = &scripted{completed: func(context.Context, idem.Outcome) error { return nil }, released: func(context.Context, idem.Release) error { return nil }}
				}
				store.claimed = tt.claim
				one, other := new(notes), new(notes)
				func() {
					defer func() {
						if v := recover(); v != nil && v != cause { //nolint:errorlint // the very error
							panic(v)
						}
					}()
					_, _ = deliver(ctx, idem.Configure(idem.Configure(store, idem.WithObserver(one)), idem.WithObserver(other)), tt.handle)
				}()
				want := "received notify notify:1 m1 0; ended notify notify:1 m1 " + tt.want
				if got := one.take(); got != want {
					t.Errorf("told %s\nwant %s", got, want)
				}
				if got := other.take(); got != want {
					t.Errorf("the second was told %s", got)
				}
			})
		})
	}
}

func TestObserverOfALostLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.WithValue(t.Context(), traceKey{}, "trace")
		store := newBeats(func(context.Context, int) error { return idem.ErrLeaseLost })
		store.released = func(context.Context, idem.Release) error { return idem.ErrLeaseLost }
		n := new(notes)
		_, _ = deliver(ctx, idem.Configure(store, idem.WithObserver(n)), func(ctx context.Context) (receipt, error) {
			<-ctx.Done()
			synctest.Wait()
			return receipt{}, errDown
		})
		want := `received notify notify:1  0; lease lost notify notify:1  3: lease lost; ended notify notify:1  3: lease_lost after 20s, ` +
			`"connection refused\nidem: release notify \"notify:1\": lease lost"`
		if got := n.take(); got != want {
			t.Errorf("told %s\nwant %s", got, want)
		}
	})
}

// An event without a key is nobody's job.
func TestObserverOfNoJob(t *testing.T) {
	n := new(notes)
	if _, err := idem.Claim[receipt](t.Context(), idem.Configure(&scripted{}, idem.WithObserver(n)), leased, ""); err == nil || n.take() != "" {
		t.Errorf("error %v, told %v", err, n.lines)
	}
}

// The wrapper and the store count the last attempt alike.
func TestDeadIsTold(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		n := new(answered)
		w := newWorker(idem.Configure(db.Store(), idem.WithObserver(n)))
		for _, w.err = range []error{errDown, idem.RetryAfter(0, nil), errDown, errDown} {
			_, _ = w.deliver(t.Context(), "notify:1")
		}
		if status := lookup(t, db, "notify:1").Status; status != idem.StatusDead || !slices.Equal(n.answers, []string{"retry", "held", "retry", "dead"}) {
			t.Errorf("told %v; the run is %s", n.answers, status)
		}
	})
}

type answered struct {
	notes
	answers []string
}

func (a *answered) Ended(_ context.Context, _ idem.Job, end idem.End) {
	a.answers = append(a.answers, end.Answer.String())
}
