package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// parcel is a handler with its wrapper and its redrive, as generated.
type parcel struct {
	mu      sync.Mutex
	shipped map[string]int
	attempt func(id string) error
}

type parcelEvent struct {
	ID   string `json:"id"`
	Note string `json:"note"`
}

var parcelSpec = idem.Spec{Handler: "ship", Lease: time.Minute, Attempts: 3}

func parcelKey(e parcelEvent) (idem.Key, error) {
	return parcelSpec.Key(idem.Literal("ship:"), idem.String("e.ID", e.ID))
}

func newParcel() *parcel {
	return &parcel{shipped: map[string]int{}, attempt: func(string) error { return nil }}
}

func (p *parcel) once(ctx context.Context, store idem.Store, e parcelEvent) error {
	key, err := parcelKey(e)
	if err != nil {
		return err
	}
	run, err := idem.Claim[struct{}](ctx, store, parcelSpec, key, idem.WithPayload(&e))
	if err != nil {
		return err
	}
	if _, ok := run.Replay(); ok {
		return nil
	}
	defer run.Close()
	_, err = run.Complete(struct{}{}, p.ship(e))
	return err
}

func (p *parcel) ship(e parcelEvent) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.attempt(e.ID); err != nil {
		return err
	}
	p.shipped[e.ID+" "+e.Note]++
	return nil
}

func (p *parcel) redrive(ctx context.Context, store idem.Store, limit int) ([]idem.Redriven, error) {
	return idem.Redrive(ctx, store, parcelSpec, limit, parcelKey, func(ctx context.Context, e parcelEvent) error {
		return p.once(ctx, store, e)
	})
}

// wantRedriven redrives and compares what came of it, by key.
func (p *parcel) wantRedriven(t *testing.T, store idem.Store, limit int, want ...string) {
	t.Helper()
	list, err := p.redrive(t.Context(), store, limit)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range list {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %v", r.Key, r.Err)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("redriven (-want +got):\n%s", diff)
	}
}

func TestRedrive(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		p, store := newParcel(), db.Store()
		failing := errors.New("no courier")
		p.attempt = func(string) error { return failing }
		for _, id := range []string{"1", "2", "3"} {
			if err := p.once(t.Context(), store, parcelEvent{id, "x<&>\u2028é"}); !errors.Is(err, failing) {
				t.Error(err)
			}
			db.Advance(time.Millisecond)
		}
		// Its worker died.
		if _, err := store.Claim(t.Context(), idem.ClaimRequest{Key: "ship:4", Handler: "ship", Owner: idem.NewOwner(), Lease: time.Minute, Attempts: 3, Payload: []byte(`{"id":"4"}`)}); err != nil {
			t.Fatal(err)
		}
		p.wantRedriven(t, store, 1, `ship:1 no courier`)
		p.attempt = func(id string) error {
			if id == "2" {
				return idem.RetryAfter(time.Hour, failing)
			}
			return nil
		}
		p.wantRedriven(t, store, 9, `ship:1 <nil>`, `ship:2 idem: ship "ship:2": held; retry after 1h0m0s: no courier`, `ship:3 <nil>`)
		p.wantRedriven(t, store, 9) // the lease of 4 is in force
		db.Advance(2 * time.Minute)
		p.wantRedriven(t, store, 9, `ship:4 <nil>`)
		p.attempt = func(string) error { return nil }
		db.Advance(time.Hour)
		p.wantRedriven(t, store, 9, `ship:2 <nil>`)
		p.wantRedriven(t, store, 9)
		if diff := cmp.Diff(map[string]int{"1 x<&>\u2028é": 1, "2 x<&>\u2028é": 1, "3 x<&>\u2028é": 1, "4 ": 1}, p.shipped); diff != "" {
			t.Error(diff)
		}
		if n := db.Count(t, "SELECT count(*) FROM job_runs WHERE payload IS NOT NULL"); n > 0 {
			t.Errorf("%d runs that are done keep their event", n)
		}
	})
}

// Beside each other, and beside the broker's deliveries, each run has one effect.
func TestRedriveAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		p, store := newParcel(), db.Store()
		p.attempt = func(string) error { return errors.New("no courier") }
		const parcels = 40
		event := func(n int) parcelEvent { return parcelEvent{ID: fmt.Sprint(n)} }
		for n := range parcels {
			_ = p.once(t.Context(), store, event(n))
		}
		p.attempt = func(string) error { return nil }
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if _, err := p.redrive(t.Context(), store, parcels); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				for n := range parcels {
					if err := p.once(t.Context(), store, event(n)); err != nil && !errors.Is(err, idem.ErrInProgress) {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		p.wantRedriven(t, store, parcels)
		if len(p.shipped) != parcels {
			t.Errorf("%d of %d were shipped", len(p.shipped), parcels)
		}
		for what, n := range p.shipped {
			if n != 1 {
				t.Errorf("%s was shipped %d times", what, n)
			}
		}
	})
}

// What is no event of its run is passed over, and those behind it are not.
func TestRedriveBadPayloads(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		p, store := newParcel(), db.Store()
		for _, kept := range []string{`{`, `{"id":"other"}`, `{"id":""}`, `{"id":"3"}`} {
			key := idem.Key(fmt.Sprint("ship:", len(p.shipped)))
			p.shipped[kept] = 0
			owner := idem.NewOwner()
			if _, err := store.Claim(t.Context(), idem.ClaimRequest{Key: key, Handler: "ship", Owner: owner, Lease: time.Minute, Attempts: 3, Payload: []byte(kept)}); err != nil {
				t.Fatal(err)
			}
			db.Advance(time.Millisecond)
		}
		clear(p.shipped)
		db.Advance(time.Minute)
		list, err := p.redrive(t.Context(), store, 1)
		if err != nil || len(list) != 4 {
			t.Fatalf("%v, %v", list, err)
		}
		for i, text := range []string{"as runtime_test.parcelEvent", `the event's key is now "ship:other"`, "empty key part"} {
			if err := list[i].Err; !errors.Is(err, idem.ErrPayload) || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v", list[i].Key, err)
			}
		}
		if diff := cmp.Diff(map[string]int{"3 ": 1}, p.shipped); list[3].Err != nil || diff != "" {
			t.Errorf("%v %s", list[3].Err, diff)
		}
	})
}

// An event that cannot be kept claims nothing; and none is kept unasked.
func TestPayloadThatCannotBeKept(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		p := newParcel()
		for _, note := range []string{"\xff", strings.Repeat("x", idem.MaxResultBytes)} {
			err := p.once(t.Context(), db.Store(), parcelEvent{"1", note})
			var runErr *idem.RunError
			if !errors.Is(err, idem.ErrPayload) || !errors.As(err, &runErr) || runErr.Key != "ship:1" {
				t.Errorf("got %v", err)
			}
		}
		if n := db.Count(t, "SELECT count(*) FROM job_runs"); n > 0 || len(p.shipped) > 0 {
			t.Errorf("%d runs, and shipped %v", n, p.shipped)
		}
	})
}

func TestRedriveErrors(t *testing.T) {
	p := newParcel()
	if _, err := p.redrive(t.Context(), struct{ idem.Store }{}, 1); err == nil || !strings.Contains(err.Error(), "is no idem.Maintainer") {
		t.Errorf("got %v", err)
	}
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		p, store := newParcel(), db.Store()
		p.attempt = func(string) error { return errors.New("no courier") }
		for n := range 3 {
			_ = p.once(t.Context(), store, parcelEvent{ID: fmt.Sprint(n)})
			db.Advance(time.Millisecond)
		}
		ctx, cancel := context.WithCancel(t.Context())
		p.attempt = func(id string) error {
			if id == "1" {
				cancel()
			}
			return nil
		}
		list, err := p.redrive(ctx, store, 9)
		if !errors.Is(err, context.Canceled) || len(list) != 2 || list[1].Err != nil {
			t.Errorf("cancelled in the second: %v, %v", list, err)
		}
	})
}
