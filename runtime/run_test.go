package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// scripted is a store that answers as it is told and keeps what it was asked.
// What stores do with it is tested on real ones; here it is the wrapper's
// side that is tested.
type scripted struct {
	idem.Store // panics on what a test does not expect
	claimed    func(idem.ClaimRequest) (idem.Record, error)
	completed  func(context.Context, idem.Outcome) error
	released   func(context.Context, idem.Release) error
	token      idem.Token
}

func (s *scripted) Claim(_ context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if s.claimed != nil {
		return s.claimed(req)
	}
	return running(req, req.Owner), nil
}

func (s *scripted) Complete(ctx context.Context, token idem.Token, o idem.Outcome) error {
	s.token = token
	return s.completed(ctx, o)
}

func (s *scripted) Release(ctx context.Context, token idem.Token, r idem.Release) error {
	s.token = token
	return s.released(ctx, r)
}

func running(req idem.ClaimRequest, owner idem.Owner) idem.Record {
	return idem.Record{
		Key: req.Key, Handler: req.Handler, Status: idem.StatusRunning,
		Attempt: 3, Owner: owner, Remaining: req.Lease,
	}
}

const key = idem.Key("notify:1")

var leased = idem.Spec{Handler: "notify", Lease: time.Minute, Attempts: 5}

// deliver is what a generated wrapper does.
func deliver[R any](ctx context.Context, store idem.Store, handle func(context.Context) (R, error)) (R, error) {
	var none R
	run, err := idem.Claim[R](ctx, store, leased, key)
	if err != nil {
		return none, err
	}
	if result, ok := run.Replay(); ok {
		return result, nil
	}
	defer run.Close()
	result, err := handle(run.Context())
	return run.Complete(result, err)
}

type receipt struct {
	ID string
	N  int64
}

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
	if got != want || got.Owner == (idem.Owner{}) {
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
			idem.ErrKeyReuse, 0, `idem: claim notify "notify:1": key belongs to another handler: charge`},
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
	if !errors.As(err, &runErr) || runErr.Op != "replay" || runErr.Key != key {
		t.Errorf("error %v; want a RunError of the replay", err)
	}
}

func TestClaimWithoutKey(t *testing.T) {
	_, err := idem.Claim[receipt](t.Context(), &scripted{}, leased, "")
	if !errors.Is(err, idem.ErrEmptyKeyPart) {
		t.Errorf("error %v; want ErrEmptyKeyPart", err)
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

// The result's bytes, and back: zero values of every kind, and text, numbers
// and times that a careless encoding changes.
func TestResultRoundTrip(t *testing.T) {
	roundTrip(t, "false", false)
	roundTrip(t, "0", 0)
	roundTrip(t, "empty string", "")
	roundTrip(t, "nil slice", []int(nil))
	roundTrip(t, "empty slice", []int{})
	roundTrip(t, "nil map", map[string]int(nil))
	roundTrip(t, "empty struct", struct{}{})
	roundTrip(t, "zero struct", receipt{})
	roundTrip(t, "nil pointer", (*receipt)(nil))
	roundTrip(t, "pointer to zero", &receipt{})
	roundTrip(t, "NUL and markup", "a\x00b<>&\u2028\u2029\"\\")
	roundTrip(t, "a real U+FFFD", "\uFFFD")
	roundTrip(t, "the text of an escape", `\ufffd \\ufffd`)
	roundTrip(t, "an escape in its own JSON", json.RawMessage(`{"a":"\ufffd"}`))
	roundTrip(t, "64 bits", []int64{math.MaxInt64, math.MinInt64, 1<<53 + 1})
	roundTrip(t, "unsigned 64 bits", uint64(math.MaxUint64))
	roundTrip(t, "floats", []float64{1e308, 5e-324, -0.1})
	roundTrip(t, "time with a zone", time.Date(2024, 2, 29, 23, 59, 59, 1, time.FixedZone("", 5*3600+1800)))
	roundTrip(t, "bytes", []byte{0, 0xff, 0xc3})
	roundTrip(t, "at the limit", strings.Repeat("x", idem.MaxResultBytes-2))
}

func roundTrip[R any](t *testing.T, name string, result R) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		var stored idem.Outcome
		store := &scripted{completed: func(_ context.Context, o idem.Outcome) error { stored = o; return nil }}
		got, err := deliver(t.Context(), store, func(context.Context) (R, error) { return result, nil })
		if err != nil || !reflect.DeepEqual(got, result) {
			t.Fatalf("first delivery: %v, error %v", got, err)
		}
		if stored.Status != idem.StatusDone || stored.Error != "" || stored.Result == nil {
			t.Fatalf("outcome %+v", stored)
		}
		replays := &scripted{claimed: func(req idem.ClaimRequest) (idem.Record, error) {
			return idem.Record{Key: req.Key, Handler: req.Handler, Status: idem.StatusDone, Result: stored.Result}, nil
		}}
		again, err := deliver(t.Context(), replays, func(context.Context) (R, error) {
			t.Error("the handler ran again")
			return result, nil
		})
		if err != nil || !same(again, result) {
			t.Errorf("replay %#v, error %v; want %#v", again, err, result)
		}
	})
}

func same(a, b any) bool {
	if at, ok := a.(time.Time); ok {
		bt := b.(time.Time)
		_, az := at.Zone()
		_, bz := bt.Zone()
		return at.Equal(bt) && az == bz
	}
	return reflect.DeepEqual(a, b)
}

// Results that are too large, or that JSON cannot hold: done, told why, never again.
func TestResultNotStored(t *testing.T) {
	for _, tt := range []struct {
		name   string
		result any
		text   string
	}{
		{"one byte over the limit", strings.Repeat("x", idem.MaxResultBytes-1), "result not stored: 1048577 bytes of JSON, over the limit of 1048576"},
		{"not a number", math.NaN(), "result not stored: json: unsupported value: NaN"},
		{"not UTF-8", "a\xff", "result not stored: a string in it is not valid UTF-8, which JSON cannot hold"},
		{"panics", panics{}, "result not stored: panic: no JSON today"},
		{"lone surrogate", "\\\xed\xa0\x80", "result not stored: a string in it is not valid UTF-8, which JSON cannot hold"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stored idem.Outcome
			store := &scripted{completed: func(_ context.Context, o idem.Outcome) error { stored = o; return nil }}
			_, err := deliver(t.Context(), store, func(context.Context) (any, error) { return tt.result, nil })
			if err != nil {
				t.Errorf("first delivery: %v; it has its result", err)
			}
			if stored.Status != idem.StatusDone || stored.Result != nil || stored.Error != tt.text {
				t.Errorf("outcome %s, %d bytes, %q; want done, none, %q", stored.Status, len(stored.Result), stored.Error, tt.text)
			}
		})
	}
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("no JSON today") }

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
