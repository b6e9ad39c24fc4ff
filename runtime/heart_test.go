package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

var errDown = errors.New("connection refused")

// beats is a store that notes when it is asked to extend a lease of a minute.
type beats struct {
	scripted
	start time.Time
	mu    sync.Mutex
	at    []time.Duration
}

// note returns how many times the store was asked.
func (b *beats) note() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = append(b.at, time.Since(b.start))
	return len(b.at)
}

func (b *beats) noted() []time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

func newBeats(answer func(ctx context.Context, nth int) error) *beats {
	b := &beats{start: time.Now()}
	b.completed = func(context.Context, idem.Outcome) error { return nil }
	b.released = func(context.Context, idem.Release) error { return nil }
	b.extended = func(ctx context.Context, lease time.Duration) error {
		if lease != leased.Lease {
			return fmt.Errorf("extended by %v", lease)
		}
		return answer(ctx, b.note())
	}
	return b
}

func beating(context.Context, int) error { return nil }

// outlives is a handler that takes so long, or until its context ends.
func outlives(d time.Duration) func(context.Context) (receipt, error) {
	return func(ctx context.Context) (receipt, error) {
		select {
		case <-ctx.Done():
			return receipt{}, context.Cause(ctx)
		case <-time.After(d):
			return receipt{ID: "r"}, nil
		}
	}
}

func every(d time.Duration, times int) (at []time.Duration) {
	for i := range times {
		at = append(at, time.Duration(i+1)*d)
	}
	return at
}

// When a lease of a minute is extended, and when the handler's context ends.
func TestHeartbeat(t *testing.T) {
	const third, ninth = time.Minute / 3, time.Minute / 9 // cut to whole nanoseconds
	down := func(context.Context, int) error { return errDown }
	for _, tt := range []struct {
		name    string
		answer  func(ctx context.Context, nth int) error
		works   time.Duration // that the handler would take
		beats   []time.Duration
		endedAt time.Duration // zero if it is not
	}{
		{"short", beating, third - 1, nil, 0},
		{"three leases", beating, 3*time.Minute + 1, every(third, 9), 0},
		{"lost", func(context.Context, int) error { return fmt.Errorf("extend: %w", idem.ErrLeaseLost) }, time.Hour, every(third, 1), third},
		{"lost later", func(_ context.Context, nth int) error {
			if nth == 2 {
				return idem.ErrLeaseLost
			}
			return nil
		}, time.Hour, every(third, 2), 2 * third},
		{"the store hangs", func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }, time.Hour, every(third, 1), time.Minute},
		{"the store hangs and minds no context", func(context.Context, int) error { time.Sleep(time.Hour); return errDown }, time.Hour,
			every(third, 1), time.Minute},
		{"the store is down", down, time.Hour, []time.Duration{third, third + ninth, third + 2*ninth, third + 3*ninth, third + 4*ninth, third + 5*ninth}, time.Minute},
		{"the store comes back", func(_ context.Context, nth int) error {
			if nth < 3 {
				return errDown
			}
			return nil
		}, time.Minute + 1, []time.Duration{third, third + ninth, third + 2*ninth, third + 2*ninth + third}, 0},
		{"the answer is slow", func(context.Context, int) error { time.Sleep(ninth); return nil }, 2*time.Minute - 1,
			[]time.Duration{third, 2 * third, 3 * third, 4 * third, 5 * third}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newBeats(tt.answer)
				got, err := deliver(t.Context(), store, outlives(tt.works))
				if took := time.Since(store.start); tt.endedAt > 0 && (!errors.Is(err, idem.ErrLeaseLost) || took != tt.endedAt) {
					t.Errorf("ended after %v with %v; want the cause ErrLeaseLost after %v", took, err, tt.endedAt)
				}
				if tt.endedAt == 0 && (err != nil || got.ID != "r") {
					t.Errorf("got %v, %v", got, err)
				}
				time.Sleep(time.Hour + leased.Lease) // after its end, nothing beats
				if fmt.Sprint(store.noted()) != fmt.Sprint(tt.beats) {
					t.Errorf("beats at %v; want %v", store.noted(), tt.beats)
				}
			})
		})
	}
}

// A claim that waited for its answer has used up part of the lease already.
func TestHeartbeatOfALeaseThatIsHalfOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newBeats(beating)
		store.claimed = func(req idem.ClaimRequest) (idem.Record, error) {
			rec := running(req, req.Owner)
			rec.Remaining, store.holder = rec.Remaining/2, rec.Token()
			return rec, nil
		}
		if _, err := deliver(t.Context(), store, outlives(time.Second)); err != nil || len(store.noted()) != 1 || store.noted()[0] != 0 {
			t.Errorf("error %v, beats at %v; want one at once", err, store.noted())
		}
	})
}

// A handler may finish what its caller no longer waits for.
func TestHeartbeatIsDetached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), traceKey{}, "trace"))
		store := newBeats(func(ctx context.Context, nth int) error {
			end, bounded := ctx.Deadline()
			if want := time.Duration(nth+2) * time.Minute / 3; !bounded || time.Until(end) != want-time.Duration(nth)*time.Minute/3 {
				t.Errorf("beat %d: deadline in %v", nth, time.Until(end))
			}
			if ctx.Value(traceKey{}) != "trace" {
				t.Error("the caller's values are lost")
			}
			return ctx.Err()
		})
		got, err := deliver(ctx, store, func(ctx context.Context) (receipt, error) {
			cancel()
			if ctx.Err() == nil {
				t.Error("the handler's context goes on")
			}
			time.Sleep(2 * time.Minute)
			return receipt{ID: "r"}, nil
		})
		if err != nil || got.ID != "r" || len(store.noted()) < 5 {
			t.Errorf("got %v, %v after beats at %v", got, err, store.noted())
		}
	})
}

type traceKey struct{}

// A beat that is under way when the run ends changes nothing more.
func TestBeatUnderWayAtTheEnd(t *testing.T) {
	for _, answer := range []error{nil, errDown, idem.ErrLeaseLost} {
		synctest.Test(t, func(t *testing.T) {
			store := newBeats(func(context.Context, int) error { time.Sleep(time.Second); return answer })
			run, err := idem.Claim[receipt](t.Context(), store, leased, key)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute/3 + time.Millisecond)
			if _, err := run.Complete(receipt{}, nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
			if cause := context.Cause(run.Context()); cause != context.Canceled || len(store.noted()) != 1 { //nolint:errorlint // the very error
				t.Errorf("%v: cause %v, beats at %v", answer, cause, store.noted())
			}
		})
	}
}

func TestWithoutHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newBeats(beating)
		bare := idem.Configure(store, idem.WithoutHeartbeat())
		if _, err := deliver(t.Context(), bare, outlives(time.Minute-1)); err != nil {
			t.Error(err)
		}
		start := time.Now()
		_, err := deliver(t.Context(), bare, outlives(time.Hour))
		if !errors.Is(err, idem.ErrLeaseLost) || time.Since(start) != time.Minute || store.noted() != nil {
			t.Errorf("after %v: %v, beats at %v", time.Since(start), err, store.noted())
		}
	})
}

// On a real database: a handler that takes three times its lease keeps its key
// all the while, and works once. The database's clock goes on as beats come in.
func TestLongHandlerKeepsItsKey(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(nil)
		w.spec.Lease = 9 * time.Second
		beat := make(chan struct{})
		w.store = extending{db.Store(), beat}
		run, err := idem.Claim[receipt](t.Context(), w.store, w.spec, "notify:1")
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			db.Advance(w.spec.Lease * 2 / 3)
			if _, err := w.deliver(t.Context(), "notify:1"); !errors.Is(err, idem.ErrInProgress) {
				t.Errorf("a duplicate while the handler works: %v", err)
			}
			if n, err := db.Store().Sweep(t.Context(), 9); n != 0 || err != nil {
				t.Errorf("swept %d, %v", n, err)
			}
			select {
			case <-beat:
			case <-run.Context().Done():
				t.Fatal(context.Cause(run.Context()))
			}
		}
		first, err := run.Complete(w.handle(run.Context()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := w.deliver(t.Context(), "notify:1"); err != nil || got != first || len(w.seen) != 1 {
			t.Errorf("duplicate: %v, %v; %d effects", got, err, len(w.seen))
		}
	})
}

// A handler that is slower than its worker's network: the key is taken over, the
// loser's context ends at its next beat, and what it returns is fenced off.
func TestLoserIsToldByItsBeat(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		slow := w.spec
		slow.Lease = 3 * time.Second
		run, err := idem.Claim[receipt](t.Context(), db.Store(), slow, "notify:1")
		if err != nil {
			t.Fatal(err)
		}
		db.Advance(slow.Lease)
		first, err := w.deliver(t.Context(), "notify:1")
		if err != nil {
			t.Fatal(err)
		}
		<-run.Context().Done()
		if cause := context.Cause(run.Context()); cause != idem.ErrLeaseLost { //nolint:errorlint // the very error
			t.Errorf("cause %v", cause)
		}
		if _, err := run.Complete(receipt{ID: "late"}, nil); !errors.Is(err, idem.ErrLeaseLost) {
			t.Errorf("the loser got %v", err)
		}
		if got, err := w.deliver(t.Context(), "notify:1"); err != nil || got != first {
			t.Errorf("duplicate: %v, %v; want %v", got, err, first)
		}
	})
}

// extending tells of each beat that was made.
type extending struct {
	idem.Store
	beat chan struct{}
}

func (e extending) Extend(ctx context.Context, token idem.Token, lease time.Duration) error {
	err := e.Store.Extend(ctx, token, lease)
	if err == nil {
		e.beat <- struct{}{}
	}
	return err
}
