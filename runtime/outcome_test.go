package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// What becomes of errors that are marked: of several marks the outermost counts.
func TestHolds(t *testing.T) {
	limited := errors.New("429 too many requests")
	for _, tt := range []struct {
		name  string
		err   error
		delay time.Duration
		text  string
	}{
		{"hold", idem.RetryAfter(time.Minute, limited), time.Minute, "429 too many requests"},
		{"wrapped", fmt.Errorf("send: %w", idem.RetryAfter(time.Minute, limited)), time.Minute, "send: 429 too many requests"},
		{"no cause", idem.RetryAfter(90*time.Second, nil), 90 * time.Second, "retry after 1m30s"},
		{"in the past", idem.RetryAfter(-time.Minute, limited), 0, "429 too many requests"},
		{"of a permanent one", idem.RetryAfter(time.Minute, idem.Permanent(limited)), time.Minute, "429 too many requests"},
		{"of a hold", idem.RetryAfter(time.Minute, idem.RetryAfter(time.Hour, limited)), time.Minute, "429 too many requests"},
		{"of a cancellation", idem.RetryAfter(time.Minute, context.Canceled), time.Minute, "context canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var release idem.Release
			store := &scripted{released: func(_ context.Context, r idem.Release) error { release = r; return nil }}
			_, err := deliver(t.Context(), store, func(context.Context) (receipt, error) { return receipt{}, tt.err })
			var held *idem.InProgressError
			if !errors.As(err, &held) || held.RetryAfter != tt.delay || held.Key != key || held.Handler != "notify" || !errors.Is(err, tt.err) {
				t.Errorf("error %+v; want an InProgressError around the handler's, after %v", err, tt.delay)
			}
			if want := fmt.Sprintf(`idem: notify "notify:1": held; retry after %v: %s`, tt.delay, tt.text); err.Error() != want {
				t.Errorf("error %q; want %q", err, want)
			}
			if want := (idem.Release{Delay: tt.delay, Error: tt.text, Attempts: 5, Hold: true}); release != want {
				t.Errorf("released %+v; want %+v", release, want)
			}
		})
	}
}

func TestPermanentHold(t *testing.T) {
	var outcome idem.Outcome
	store := &scripted{completed: func(_ context.Context, o idem.Outcome) error { outcome = o; return nil }}
	_, err := deliver(t.Context(), store, func(context.Context) (receipt, error) {
		return receipt{}, idem.Permanent(fmt.Errorf("gave up: %w", idem.RetryAfter(time.Hour, nil)))
	})
	if outcome.Status != idem.StatusFailed || outcome.Error != "gave up: retry after 1h0m0s" || !errors.Is(err, idem.ErrFailed) {
		t.Errorf("outcome %+v, error %v; want a failure", outcome, err)
	}
}

// A hold of another run, which a handler gets from a wrapper that it calls, is
// not one of its own: nothing has said when this run is to be tried again.
func TestHoldOfAnotherRun(t *testing.T) {
	var release idem.Release
	store := &scripted{released: func(_ context.Context, r idem.Release) error { release = r; return nil }}
	other := &idem.InProgressError{Handler: "other", Key: "other:1", RetryAfter: time.Hour}
	_, err := deliver(t.Context(), store, func(context.Context) (receipt, error) { return receipt{}, other })
	if !errors.Is(err, other) || release.Hold || release.Delay != 0 {
		t.Errorf("error %v, released %+v", err, release)
	}
}

func TestHoldThatIsNotRecorded(t *testing.T) {
	limited := errors.New("429")
	store := &scripted{released: func(context.Context, idem.Release) error { return idem.ErrLeaseLost }}
	_, err := deliver(t.Context(), store, func(context.Context) (receipt, error) { return receipt{}, idem.RetryAfter(time.Hour, limited) })
	if !errors.Is(err, idem.ErrLeaseLost) || !errors.Is(err, limited) || errors.Is(err, idem.ErrInProgress) {
		t.Errorf("error %v; want ErrLeaseLost and the handler's, and no time to come back", err)
	}
}

// What a row keeps of an error is the program's to say.
func TestErrorText(t *testing.T) {
	secret := errors.New("card 4242")
	var asked error
	redact := idem.WithErrorText(func(err error) string {
		asked = err
		if errors.Is(err, secret) {
			return "declined\x00" + strings.Repeat("x", 5000)
		}
		panic("no text")
	})
	kept := "declined\uFFFD" + strings.Repeat("x", 4<<10-len("declined\uFFFD"))
	for _, tt := range []struct {
		name   string
		handle func() error
		text   string
	}{
		{"plain", func() error { return secret }, kept},
		{"permanent", func() error { return idem.Permanent(secret) }, kept},
		{"hold", func() error { return idem.RetryAfter(time.Hour, secret) }, kept},
		{"panic", func() error { panic(secret) }, kept},
		{"no text", func() error { return fs.ErrNotExist }, "*errors.errorString, whose text is a panic: no text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := ""
			store := &scripted{
				completed: func(_ context.Context, o idem.Outcome) error { text = o.Error; return nil },
				released:  func(_ context.Context, r idem.Release) error { text = r.Error; return nil },
			}
			configured := idem.Configure(idem.Configure(store, redact), idem.WithoutHeartbeat())
			defer func() {
				if v := recover(); v != nil && v != secret { //nolint:errorlint // the very error
					t.Error(v)
				}
				if text != tt.text {
					t.Errorf("kept %.40q (%d bytes), asked about %v", text, len(text), asked)
				}
			}()
			_, err := deliver(t.Context(), configured, func(context.Context) (receipt, error) { return receipt{}, tt.handle() })
			var failed *idem.FailedError
			if errors.As(err, &failed) && failed.Text != tt.text {
				t.Errorf("the delivery was told %.40q", failed.Text)
			}
		})
	}
}

// A delivery that is told to come back later, and comes back later, runs. However
// often it is held, it keeps all its attempts for errors.
func TestHeldRunComesBack(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		deliver := func(want error) {
			t.Helper()
			if _, err := w.deliver(t.Context(), "notify:1"); !errors.Is(err, want) {
				t.Fatalf("got %v; want %v", err, want)
			}
		}
		for held := range 5 {
			w.err = idem.RetryAfter(2*w.spec.Lease, errors.New("429"))
			deliver(idem.ErrInProgress)
			db.Advance(2*w.spec.Lease - time.Millisecond)
			deliver(idem.ErrInProgress)
			if rec := lookup(t, db, "notify:1"); rec.Status != idem.StatusWaiting || rec.Holds != held+1 || rec.Attempt != held+2 ||
				rec.Error != "429" || rec.Remaining != time.Millisecond || len(w.seen) != held+1 {
				t.Fatalf("held %d times: %+v", held+1, rec)
			}
			db.Advance(time.Millisecond)
		}
		w.err = fs.ErrNotExist
		for range w.spec.Attempts {
			deliver(fs.ErrNotExist)
		}
		deliver(idem.ErrDead)
		if len(w.seen) != 5+w.spec.Attempts {
			t.Errorf("%d attempts", len(w.seen))
		}
	})
}
