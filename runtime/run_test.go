package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

func TestClaimRequest(t *testing.T) {
	var got idem.ClaimRequest
	store := &scripted{claimed: func(req idem.ClaimRequest) (idem.Record, error) {
		got = req
		return running(req, req.Owner), nil
	}}
	ctx := idem.WithDelivery(t.Context(), idem.Delivery{Redelivered: true})
	run, err := idem.Claim[receipt](ctx, store, leased, key)
	if err != nil {
		t.Fatal(err)
	}
	want := idem.ClaimRequest{Key: key, Handler: "notify", Owner: got.Owner, Lease: time.Minute, Attempts: 5, Redelivered: true}
	if !reflect.DeepEqual(got, want) || got.Owner == (idem.Owner{}) {
		t.Errorf("request %+v; want %+v and an owner", got, want)
	}
	if k, ok := idem.KeyFromContext(run.Context()); !ok || k != key || run.Key() != key {
		t.Errorf("key %q in the context, %q of the run; want %q", k, run.Key(), key)
	}
	first := got.Owner
	if _, err := idem.Claim[receipt](ctx, store, leased, key); err != nil || got.Owner == first {
		t.Errorf("second claim of the same delivery: error %v, owner %v; want another owner than %v", err, got.Owner, first)
	}
}

func TestOwnerIsARandomUUID(t *testing.T) {
	a, b := idem.NewOwner(), idem.NewOwner()
	if a == b || len(a.String()) != 36 || a.String()[14] != '4' || !strings.ContainsRune("89ab", rune(a.String()[19])) {
		t.Errorf("owners %v and %v; want two version 4 UUIDs", a, b)
	}
	if want := "00010203-0405-0607-0809-0a0b0c0d0e0f"; (idem.Owner{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}).String() != want {
		t.Errorf("owner in text is not %s", want)
	}
}

// What a delivery is answered that does not get the key.
func TestAnswers(t *testing.T) {
	other := idem.NewOwner()
	for _, tt := range []struct {
		name  string
		rec   idem.Record
		want  error
		after time.Duration
		text  string
	}{
		{"running", idem.Record{Status: idem.StatusRunning, Owner: other, Remaining: 20 * time.Second},
			idem.ErrInProgress, 20 * time.Second, `idem: claim notify "notify:1": in progress; retry after 20s`},
		{"running, longer than our lease", idem.Record{Status: idem.StatusRunning, Owner: other, Remaining: time.Hour},
			idem.ErrInProgress, time.Minute, `idem: claim notify "notify:1": in progress; retry after 1m0s`},
		{"running, lease over", idem.Record{Status: idem.StatusRunning, Owner: other, Remaining: -time.Hour},
			idem.ErrInProgress, 0, `idem: claim notify "notify:1": in progress; retry after 0s`},
		{"waiting", idem.Record{Status: idem.StatusWaiting, Remaining: time.Hour},
			idem.ErrInProgress, time.Hour, `idem: claim notify "notify:1": in progress; retry after 1h0m0s`},
		{"waiting, due", idem.Record{Status: idem.StatusWaiting, Remaining: -time.Second},
			idem.ErrInProgress, 0, `idem: claim notify "notify:1": in progress; retry after 0s`},
		{"failed", idem.Record{Status: idem.StatusFailed, Error: "no such user"},
			idem.ErrFailed, 0, `idem: notify "notify:1": failed permanently: no such user`},
		{"dead", idem.Record{Status: idem.StatusDead, Error: "timeout"},
			idem.ErrDead, 0, `idem: claim notify "notify:1": attempts used up: last error: timeout`},
		{"another handler's", idem.Record{Handler: "charge", Status: idem.StatusDone, Result: []byte(`{"ID":"x"}`)},
			idem.ErrKeyReuse, 0, `idem: claim notify "notify:1": key stands for other work: of handler charge`},
		{"no result", idem.Record{Status: idem.StatusDone, Error: "result not stored: too large"},
			idem.ErrResultNotStored, 0, `idem: replay notify "notify:1": done, but its result is not stored: result not stored: too large`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := &scripted{claimed: func(req idem.ClaimRequest) (idem.Record, error) {
				rec := tt.rec
				rec.Key = req.Key
				if rec.Handler == "" {
					rec.Handler = req.Handler
				}
				return rec, nil
			}}
			got, err := deliver(t.Context(), store, func(context.Context) (receipt, error) {
				t.Error("the handler ran")
				return receipt{}, nil
			})
			if got != (receipt{}) || !errors.Is(err, tt.want) || err.Error() != tt.text {
				t.Fatalf("got %v, error %v; want %q", got, err, tt.text)
			}
			var busy *idem.InProgressError
			if errors.As(err, &busy) && (busy.RetryAfter != tt.after || busy.Key != key || busy.Handler != "notify") {
				t.Errorf("got %+v; want RetryAfter %v", busy, tt.after)
			}
		})
	}
}

func TestReplayOfAnotherType(t *testing.T) {
	store := &scripted{claimed: func(req idem.ClaimRequest) (idem.Record, error) {
		return idem.Record{Key: req.Key, Handler: req.Handler, Status: idem.StatusDone, Result: []byte(`{"N":"x"}`)}, nil
	}}
	_, err := deliver(t.Context(), store, func(context.Context) (receipt, error) { return receipt{}, nil })
	var runErr *idem.RunError
	if !errors.As(err, &runErr) || runErr.Op != "replay" || runErr.Key != key || !errors.Is(err, idem.ErrResultNotStored) {
		t.Errorf("error %v; want a RunError of the replay, and ErrResultNotStored: delivering again changes nothing", err)
	}
}

func TestClaimWithoutKey(t *testing.T) {
	_, err := idem.Claim[receipt](t.Context(), &scripted{}, leased, "")
	if !errors.Is(err, idem.ErrEmptyKeyPart) {
		t.Errorf("error %v; want ErrEmptyKeyPart", err)
	}
}

func TestClaimWithoutSpec(t *testing.T) {
	for _, s := range []idem.Spec{{}, {Handler: "notify", Lease: time.Minute}, {Handler: "notify", Attempts: 1}, {Lease: time.Minute, Attempts: 1}} {
		if _, err := idem.Claim[receipt](t.Context(), &scripted{}, s, key); err == nil {
			t.Errorf("a claim with %+v was granted", s)
		}
	}
}

// A handler that calls a wrapper returns what became of another run. Only a
// failure for good is the outcome of its own run, too.
func TestErrorsOfAnotherRun(t *testing.T) {
	inner := errors.New("inner")
	for _, cause := range []error{idem.ErrDead, idem.ErrEmptyKeyPart, idem.ErrBadPart, idem.ErrKeyReuse, idem.ErrResultNotStored} {
		released := false
		store := &scripted{released: func(context.Context, idem.Release) error { released = true; return nil }}
		_, err := deliver(t.Context(), store, func(context.Context) (receipt, error) {
			return receipt{}, fmt.Errorf("%w: %w", inner, &idem.RunError{Op: "claim", Handler: "other", Key: "other:1", Err: cause})
		})
		if !released || errors.Is(err, cause) || !errors.Is(err, inner) || !strings.Contains(err.Error(), cause.Error()) {
			t.Errorf("error %v, released: %v; want its text and the handler's own cause, and not %q", err, released, cause)
		}
	}
	for _, err := range []error{&idem.FailedError{Handler: "other", Key: "other:1", Text: "no"}, &idem.FailedError{Text: "no", Err: idem.Permanent(inner)}} {
		var outcome idem.Outcome
		store := &scripted{completed: func(_ context.Context, o idem.Outcome) error { outcome = o; return nil }}
		_, got := deliver(t.Context(), store, func(context.Context) (receipt, error) { return receipt{}, err })
		var failed *idem.FailedError
		if outcome.Status != idem.StatusFailed || !errors.As(got, &failed) || failed.Key != key {
			t.Errorf("%v: outcome %+v, error %v; want this run's failure", err, outcome, got)
		}
	}
}

func TestClaimError(t *testing.T) {
	cause := errors.New("connection refused")
	store := &scripted{claimed: func(idem.ClaimRequest) (idem.Record, error) { return idem.Record{}, cause }}
	_, err := deliver(t.Context(), store, func(context.Context) (receipt, error) { return receipt{}, nil })
	var runErr *idem.RunError
	if !errors.Is(err, cause) || !errors.As(err, &runErr) || runErr.Handler != "notify" || runErr.Key != key {
		t.Errorf("error %v; want a RunError that wraps the cause", err)
	}
}

// A typed nil is an error whose text cannot be had.
func (e *receipt) Error() string { return e.ID }

// What becomes of the handler's error: only a permanent one is an outcome.
func TestHandlerErrors(t *testing.T) {
	plain := errors.New("timeout")
	for _, tt := range []struct {
		name   string
		err    error
		failed bool
		text   string
	}{
		{"plain", plain, false, "timeout"},
		{"permanent", idem.Permanent(plain), true, "timeout"},
		{"permanent, wrapped", fmt.Errorf("notify: %w", idem.Permanent(plain)), true, "notify: timeout"},
		{"cancelled", context.Canceled, false, "context canceled"},
		{"cancelled, called permanent", idem.Permanent(fmt.Errorf("call: %w", context.Canceled)), false, "call: context canceled"},
		{"deadline, called permanent", idem.Permanent(context.DeadlineExceeded), false, "context deadline exceeded"},
		{"typed nil", (*receipt)(nil), false, "*runtime_test.receipt, whose text is a panic: runtime error: invalid memory address or nil pointer dereference"},
		{"text that Postgres refuses", errors.New("a\x00b\xff"), false, "a\uFFFDb\uFFFD"},
		{"long text", errors.New("x" + strings.Repeat("é", 4000)), false, "x" + strings.Repeat("é", 2047)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var outcome *idem.Outcome
			var release *idem.Release
			store := &scripted{
				completed: func(_ context.Context, o idem.Outcome) error { outcome = &o; return nil },
				released:  func(_ context.Context, r idem.Release) error { release = &r; return nil },
			}
			_, err := deliver(t.Context(), store, func(context.Context) (receipt, error) { return receipt{}, tt.err })
			var failed *idem.FailedError
			if !errors.Is(err, tt.err) || errors.Is(err, idem.ErrFailed) != tt.failed || errors.As(err, &failed) != tt.failed {
				t.Errorf("error %#v; want the handler's own, as a FailedError if it is the outcome: %v", err, tt.failed)
			}
			if tt.failed && (failed.Text != tt.text || failed.Key != key) {
				t.Errorf("error %+v; want the text %q", failed, tt.text)
			}
			switch {
			case tt.failed && (outcome == nil || outcome.Error != tt.text || outcome.Status != idem.StatusFailed || release != nil):
				t.Errorf("outcome %+v, release %+v; want failed with %q", outcome, release, tt.text)
			case !tt.failed && (release == nil || *release != (idem.Release{Error: tt.text, Attempts: 5}) || outcome != nil):
				t.Errorf("outcome %+v, release %+v; want a release with %q", outcome, release, tt.text)
			}
			if store.token.Attempt != 3 || store.token.Key != key || store.token.Owner == (idem.Owner{}) {
				t.Errorf("token %+v; want the claim's", store.token)
			}
		})
	}
	if idem.Permanent(nil) != nil {
		t.Error("Permanent(nil) is not nil")
	}
}

// Invariant 10: what the handler finished is recorded although its caller
// has gone.
func TestCompletionIsDetached(t *testing.T) {
	for _, handlerErr := range []error{nil, errors.New("timeout"), idem.Permanent(errors.New("no"))} {
		ctx, cancel := context.WithCancel(t.Context())
		recorded := false
		record := func(ctx context.Context) error {
			_, bounded := ctx.Deadline()
			recorded = ctx.Err() == nil && bounded
			return ctx.Err()
		}
		store := &scripted{
			completed: func(ctx context.Context, _ idem.Outcome) error { return record(ctx) },
			released:  func(ctx context.Context, _ idem.Release) error { return record(ctx) },
		}
		_, err := deliver(ctx, store, func(context.Context) (receipt, error) {
			cancel()
			return receipt{ID: "r"}, handlerErr
		})
		if !errors.Is(err, handlerErr) || !recorded {
			t.Errorf("handler's error %v: error %v, recorded under a live context with a deadline: %v", handlerErr, err, recorded)
		}
	}
}

func TestLeaseLost(t *testing.T) {
	lost := func(context.Context, idem.Outcome) error { return idem.ErrLeaseLost }
	handlerErr := errors.New("timeout")
	store := &scripted{completed: lost, released: func(context.Context, idem.Release) error { return idem.ErrLeaseLost }}
	got, err := deliver(t.Context(), store, func(context.Context) (receipt, error) { return receipt{ID: "mine"}, nil })
	if got != (receipt{}) || !errors.Is(err, idem.ErrLeaseLost) {
		t.Errorf("got %v, error %v; want nothing and ErrLeaseLost", got, err)
	}
	_, err = deliver(t.Context(), store, func(context.Context) (receipt, error) { return receipt{}, handlerErr })
	if !errors.Is(err, idem.ErrLeaseLost) || !errors.Is(err, handlerErr) {
		t.Errorf("error %v; want ErrLeaseLost and the handler's", err)
	}
}

// The lease is counted from before the statement that gave what remains of it.
func TestContextEndsWithTheLease(t *testing.T) {
	for _, remains := range []func(*idem.Record){
		func(rec *idem.Record) { rec.Remaining = 0 },
		func(rec *idem.Record) { rec.Asked = time.Now().Add(-rec.Remaining) },
	} {
		store := &scripted{
			claimed: func(req idem.ClaimRequest) (idem.Record, error) {
				rec := running(req, req.Owner)
				remains(&rec)
				return rec, nil
			},
			released: func(context.Context, idem.Release) error { return idem.ErrLeaseLost },
		}
		_, err := deliver(t.Context(), store, func(ctx context.Context) (receipt, error) {
			<-ctx.Done()
			return receipt{}, context.Cause(ctx)
		})
		if !errors.Is(err, idem.ErrLeaseLost) {
			t.Errorf("error %v; want the cause ErrLeaseLost", err)
		}
	}
}

func TestPanicReleases(t *testing.T) {
	var text string
	store := &scripted{released: func(ctx context.Context, r idem.Release) error { text = r.Error; return ctx.Err() }}
	ctx, cancel := context.WithCancel(t.Context())
	func() {
		defer func() {
			if v := recover(); v != "boom" {
				t.Errorf("recovered %v; want the handler's panic", v)
			}
		}()
		_, _ = deliver(ctx, store, func(context.Context) (receipt, error) {
			cancel()
			panic("boom")
		})
	}()
	if text != "panic: boom" {
		t.Errorf("released with %q", text)
	}
}

func TestPanicIsPassedOnWhenTheStorePanicsToo(t *testing.T) {
	store := &scripted{released: func(context.Context, idem.Release) error { panic("store") }}
	defer func() {
		if v := recover(); v != "boom" {
			t.Errorf("recovered %v; want the handler's panic", v)
		}
	}()
	_, _ = deliver(t.Context(), store, func(context.Context) (receipt, error) { panic("boom") })
}

func TestGoexitReleases(t *testing.T) {
	var text string
	store := &scripted{released: func(_ context.Context, r idem.Release) error { text = r.Error; return nil }}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = deliver(context.Background(), store, func(context.Context) (receipt, error) {
			goruntime.Goexit()
			return receipt{}, nil
		})
	}()
	<-done
	if text != "the handler's goroutine exited" {
		t.Errorf("released with %q", text)
	}
}

func TestCompleteTwice(t *testing.T) {
	store := &scripted{completed: func(context.Context, idem.Outcome) error { return nil }}
	run, err := idem.Claim[receipt](t.Context(), store, leased, key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Complete(receipt{ID: "a"}, nil); err != nil {
		t.Fatal(err)
	}
	if run.Context().Err() == nil {
		t.Error("the run's context outlives the run")
	}
	var runErr *idem.RunError
	if _, err := run.Complete(receipt{ID: "b"}, nil); !errors.As(err, &runErr) {
		t.Errorf("second completion: error %v; want a RunError", err)
	}
	run.Close() // nothing left to release: a release would panic
}
