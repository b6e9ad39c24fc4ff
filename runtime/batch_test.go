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

// letter is an event of a batch. Its text says what the handler does.
type letter struct{ id, text, value string }

var mail = idem.Spec{Handler: "mail", Lease: time.Minute, Attempts: 3}

func letterKey(prefix string) func(letter) (idem.Key, error) {
	return func(l letter) (idem.Key, error) {
		return mail.Key(idem.Literal("mail:"+prefix+":"), idem.String("id", l.id))
	}
}

// post is a handler with its wrapper, as generated.
type post struct {
	keyOf func(letter) (idem.Key, error)
	mu    sync.Mutex
	sent  map[string]int
}

func newPost(prefix string) *post { return &post{keyOf: letterKey(prefix), sent: map[string]int{}} }

func (p *post) once(ctx context.Context, store idem.Store, l letter) (string, error) {
	key, err := p.keyOf(l)
	if err != nil {
		return "", err
	}
	run, err := idem.Claim[string](ctx, store, mail, key, idem.WithFingerprint(idem.NewFingerprint(idem.String("value", l.value))))
	if err != nil {
		return "", err
	}
	if got, ok := run.Replay(); ok {
		return got, nil
	}
	defer run.Close()
	return run.Complete(p.handle(l))
}

func (p *post) handle(l letter) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent[l.id]++
	switch l.text {
	case "error":
		return "", errors.New("the box is full")
	case "error once":
		if p.sent[l.id] == 1 {
			return "", errors.New("the box is full")
		}
	case "hold":
		return "", idem.RetryAfter(time.Hour, errors.New("too early"))
	case "permanent":
		return "", idem.Permanent(errors.New("no such box"))
	}
	return fmt.Sprintf("letter %d to %s", p.sent[l.id], l.id), nil
}

// mixture is a batch with a letter of each kind, in each state of its run.
func mixture(p *post, t *testing.T, db idemtest.DB) []letter {
	t.Helper()
	letters := []letter{{id: ""}} // which has no key
	for _, state := range []string{"new", "done", "failed", "running", "expired", "waiting", "due", "dead"} {
		for _, text := range []string{"fine", "error", "hold", "permanent"} {
			letters = append(letters, letter{id: state + "/" + text, text: text, value: "a"})
		}
	}
	for _, l := range letters[1:] {
		state, _, _ := strings.Cut(l.id, "/")
		key, err := p.keyOf(l)
		if err != nil {
			t.Fatal(err)
		}
		bring(t, db, key, l.value, state)
	}
	for _, again := range []string{"new/fine", "new/error", "done/fine", "new/hold", "running/fine"} {
		l := letter{id: again, text: again[strings.Index(again, "/")+1:], value: "a"}
		other := l
		other.value = "b"
		letters = append(letters, l, other, l)
	}
	return append(letters, letter{id: "once", text: "error once"}, letter{id: "once", text: "error once"}, letter{id: "once"})
}

// bring brings a key's run into a state.
func bring(t *testing.T, db idemtest.DB, key idem.Key, value, state string) {
	t.Helper()
	if state == "new" {
		return
	}
	claim := func(lease time.Duration) idem.Token {
		fingerprint, err := idem.NewFingerprint(idem.String("value", value)).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		rec, err := db.Store().Claim(t.Context(), idem.ClaimRequest{
			Key: key, Handler: mail.Handler, Owner: idem.NewOwner(), Lease: lease, Attempts: 3, Fingerprint: fingerprint,
		})
		if err != nil {
			t.Fatal(err)
		}
		return rec.Token()
	}
	var err error
	switch state {
	case "running":
		claim(time.Hour)
	case "expired":
		claim(0)
	case "done":
		err = db.Store().Complete(t.Context(), claim(time.Hour), idem.Outcome{Status: idem.StatusDone, Result: []byte(`"before"`)})
	case "failed":
		err = db.Store().Complete(t.Context(), claim(time.Hour), idem.Outcome{Status: idem.StatusFailed, Error: "before"})
	case "waiting":
		err = db.Store().Release(t.Context(), claim(time.Hour), idem.Release{Delay: time.Hour, Error: "before", Attempts: 3})
	case "due":
		err = db.Store().Release(t.Context(), claim(time.Hour), idem.Release{Error: "before", Attempts: 3})
	case "dead":
		err = db.Store().Release(t.Context(), claim(time.Hour), idem.Release{Error: "before"})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A batch means the same as its events one after the other, whatever is mixed in
// it: the same answers, the same effects, the same rows.
func TestBatchMeansTheSame(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		for _, redelivered := range []bool{false, true} {
			ctx := idem.WithDelivery(t.Context(), idem.Delivery{Redelivered: redelivered})
			singly, together := newPost("singly"), newPost("together")
			letters := mixture(singly, t, db)
			mixture(together, t, db)
			var want []idem.Delivered[string]
			for _, l := range letters {
				got, err := singly.once(ctx, db.Store(), l)
				want = append(want, idem.Delivered[string]{Result: got, Err: err})
			}
			got := idem.Batch(ctx, db.Store(), letters, together.keyOf, together.once, idem.Limit(5))
			for i, l := range letters {
				if one, other := plainly(want[i]), plainly(got[i]); one != other {
					t.Errorf("%d, %+v:\n singly %s\nin a batch %s", i, l, one, other)
				}
			}
			if fmt.Sprint(singly.sent) != fmt.Sprint(together.sent) {
				t.Errorf("sent singly %v,\nin a batch %v", singly.sent, together.sent)
			}
			for _, l := range letters[1:] {
				one, other := rowOf(t, db, singly, l), rowOf(t, db, together, l)
				if one != other {
					t.Errorf("%+v:\n singly %s\nin a batch %s", l, one, other)
				}
			}
			db.Exec(t, "DELETE FROM job_runs")
		}
	})
}

func plainly(d idem.Delivered[string]) string {
	return strings.ReplaceAll(fmt.Sprintf("%q, %v", d.Result, d.Err), "together", "singly")
}

func rowOf(t *testing.T, db idemtest.DB, p *post, l letter) string {
	t.Helper()
	key, err := p.keyOf(l)
	if err != nil {
		t.Fatal(err)
	}
	rec := lookup(t, db, key)
	rec.Key, rec.Owner = "", idem.Owner{}
	return fmt.Sprintf("%+v", rec)
}

// So many handlers run at a time, and no more.
func TestBatchLimit(t *testing.T) {
	for _, tt := range []struct {
		opts []idem.BatchOption
		want int
	}{{nil, 16}, {[]idem.BatchOption{idem.Limit(3)}, 3}, {[]idem.BatchOption{idem.Limit(0)}, 1}} {
		synctest.Test(t, func(t *testing.T) {
			store := new(shared)
			letters := make([]letter, 40)
			for i := range letters {
				letters[i].id = fmt.Sprint(i)
			}
			var mu sync.Mutex
			running, most := 0, 0
			start := time.Now()
			got := idem.Batch(t.Context(), store, letters, letterKey(""), func(ctx context.Context, store idem.Store, l letter) (string, error) {
				key, _ := letterKey("")(l)
				run, err := idem.Claim[string](ctx, store, mail, key)
				if err != nil {
					return "", err
				}
				defer run.Close()
				mu.Lock()
				running++
				most = max(most, running)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				running--
				mu.Unlock()
				return run.Complete(l.id, nil)
			}, tt.opts...)
			if took, want := time.Since(start), time.Duration((40+tt.want-1)/tt.want)*time.Second; most != tt.want || took != want {
				t.Errorf("%d handlers ran at a time, for %v; want %d, %v", most, took, tt.want, want)
			}
			for i, d := range got {
				if d.Err != nil || d.Result != fmt.Sprint(i) {
					t.Errorf("%d: %+v", i, d)
				}
			}
		})
	}
}

// Who waits for its turn keeps its lease, and gives the run back if its time is
// over: no handler ran.
func TestBatchTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(shared)
		letters := []letter{{id: "a"}, {id: "b"}, {id: "c"}}
		ctx, cancel := context.WithCancel(t.Context())
		ran := 0
		got := idem.Batch(ctx, store, letters, letterKey(""), func(ctx context.Context, store idem.Store, l letter) (string, error) {
			key, _ := letterKey("")(l)
			run, err := idem.Claim[string](ctx, store, mail, key)
			if err != nil {
				return "", err
			}
			defer run.Close()
			time.Sleep(2 * mail.Lease)
			if ran++; ran == 2 {
				cancel()
				synctest.Wait()
			}
			return run.Complete("done", nil)
		}, idem.Limit(1))
		var done, cancelled int
		for _, d := range got {
			switch {
			case d.Err == nil && d.Result == "done":
				done++
			case errors.Is(d.Err, context.Canceled):
				cancelled++
			}
		}
		want := idem.Release{Error: "the delivery ended before its handler's turn came", Attempts: 3, Hold: true}
		if done != 2 || cancelled != 1 || !slices.Equal(store.released, []idem.Release{want}) || store.extended < 12+5 {
			t.Errorf("%d done, %d cancelled; released %+v; extended %d times", done, cancelled, store.released, store.extended)
		}
	})
}

// shared is a store that grants every claim, and that many use at once.
type shared struct {
	idem.Store
	mu       sync.Mutex
	released []idem.Release
	extended int
}

func (*shared) Claim(_ context.Context, req idem.ClaimRequest) (idem.Record, error) {
	return running(req, req.Owner), nil
}

func (*shared) Complete(context.Context, idem.Token, idem.Outcome) error { return nil }

func (s *shared) Release(_ context.Context, _ idem.Token, r idem.Release) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.released = append(s.released, r)
	return nil
}

func (s *shared) Extend(context.Context, idem.Token, time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.extended++
	return nil
}

// A handler that panics, or whose goroutine exits, is not the others' concern.
func TestBatchPanics(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		p := newPost("panics")
		var got []idem.Delivered[string]
		func() {
			defer func() {
				if v := recover(); v != "boom" {
					t.Errorf("recovered %v", v)
				}
			}()
			letters := []letter{{id: "a"}, {id: "b", text: "boom"}, {id: "c"}}
			got = idem.Batch(t.Context(), db.Store(), letters, p.keyOf, func(ctx context.Context, store idem.Store, l letter) (string, error) {
				if l.text == "boom" {
					panic("boom")
				}
				return p.once(ctx, store, l)
			})
		}()
		if got != nil || db.Count(t, "SELECT count(*) FROM job_runs WHERE status = 'done'") != 2 {
			t.Errorf("got %v, sent %v", got, p.sent)
		}
	})
}

// counting is a store that is told how many deliveries there are, and which have
// ended.
type counting struct {
	*shared
	left, of int
}

func (c *counting) Batch(n int) (idem.Store, func()) {
	c.of = n
	return c.shared, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.left++
	}
}

// A store is told of each delivery that has ended, however it has.
func TestBatchIsLeftByAll(t *testing.T) {
	store := &counting{shared: new(shared)}
	letters := []letter{{id: ""}, {id: "a"}, {id: "b", text: "error"}, {id: "c", text: "hold"}}
	p := newPost("")
	got := idem.Batch(t.Context(), idem.Configure(store, idem.WithoutHeartbeat()), letters, p.keyOf, p.once)
	if store.of != 4 || store.left != 4 || got[1].Err != nil || got[2].Err == nil {
		t.Errorf("%d of %d have left; got %v", store.left, store.of, got)
	}
}

// Each delivery of a batch has what the broker says of it.
func TestBatchDeliveries(t *testing.T) {
	ctx := idem.WithDelivery(t.Context(), idem.Delivery{MessageID: "all"})
	letters := []letter{{id: "a"}, {id: "b"}, {id: "c"}}
	got := idem.Batch(ctx, new(shared), letters, letterKey(""), func(ctx context.Context, _ idem.Store, _ letter) (string, error) {
		delivery, _ := idem.DeliveryFromContext(ctx)
		return delivery.MessageID, nil
	}, idem.Deliveries(idem.Delivery{MessageID: "1"}, idem.Delivery{MessageID: "2"}))
	if got[0].Result != "1" || got[1].Result != "2" || got[2].Result != "all" {
		t.Errorf("got %v", got)
	}
}

func TestBatchErrors(t *testing.T) {
	letters := []letter{{id: "a"}, {id: "b"}}
	errs := idem.BatchErrors(t.Context(), new(shared), letters, letterKey(""), func(_ context.Context, _ idem.Store, l letter) error {
		if l.id == "b" {
			return errDown
		}
		return nil
	})
	if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], errDown) {
		t.Errorf("got %v", errs)
	}
}
