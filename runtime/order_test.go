package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	idem "github.com/idemgen/idemgen/runtime"
)

// E4: versions 2, 1, 2 again, none: only the right ones are applied.
func TestOrderOfVersions(t *testing.T) {
	eachOrder(t, func(t *testing.T, w *orderWorker) {
		w.apply("7", 2)
		w.wantStale("7", 1, 2)
		if got, err := w.deliver(t.Context(), "7", 2, succeed); err != nil || got.N != 2 {
			t.Errorf("version 2 again: %v, %v; want the stored result", got, err)
		}
		_, err := w.deliverWith(t.Context(), "deposit:7:none", func(context.Context, func(string) error) error { return errors.New("run") }, receipt{},
			idem.WithOrder(idem.NewOrder(idem.AtTime("event.At", time.Time{}), idem.Literal("account:"), idem.String("event.AccountID", "7"))))
		var none *idem.KeyError
		if !errors.Is(err, idem.ErrEmptyKeyPart) || !errors.As(err, &none) || !strings.Contains(err.Error(), `order of deposit "deposit:7:none": {event.At}: empty`) {
			t.Errorf("none: %v", err)
		}
		w.apply("7", 3)
		w.apply("8", 1) // another entity
		other := *w
		other.spec.Handler = "withdraw" // another handler; whose key is another, too
		if _, err := other.deliverWith(t.Context(), "withdraw:7:1", func(context.Context, func(string) error) error { return nil }, receipt{}, depositOrder("7", 1)); err != nil {
			t.Errorf("version 1 of another handler: %v", err)
		}
		if diff := cmp.Diff([]int64{2, 3, 1}, w.ran); diff != "" {
			t.Error(diff)
		}
		if n := w.db.Count(t, "SELECT count(*) FROM job_runs"); n != 5 {
			t.Errorf("%d runs; want none of what has no version", n)
		}
		w.wantEntity("at last", "7", 3, false)
	})
}

// One live run an entity, and versions never go down: many workers deliver all
// versions of a few entities in any order, and each event twice.
func TestOrderRace(t *testing.T) {
	const entities, newest = 3, 12
	eachOrder(t, func(t *testing.T, w *orderWorker) {
		var events []planned
		for entity := range entities {
			for version := range int64(newest) {
				event := planned{fmt.Sprint(entity), version + 1}
				events = append(events, event, event)
			}
		}
		rand.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		seen := watchedEntities{t: t, live: map[string]int{}, begun: map[string]int64{}}
		next := make(chan planned)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				own := newOrderWorker(t, w.db, w.inTx)
				for event := range next {
					own.untilAnswered(event.entity, event.version, func(context.Context) error { seen.handle(event); return nil })
				}
			})
		}
		for _, event := range events {
			next <- event
		}
		close(next)
		all.Wait()
		for entity := range entities {
			w.wantEntity("at last", fmt.Sprint(entity), newest, false)
		}
		if n := w.db.Count(t, "SELECT count(*) FROM job_runs WHERE status IN ('done', 'stale')"); n != entities*newest {
			t.Errorf("%d runs have ended; want %d", n, entities*newest)
		}
		if n := w.db.Count(t, "SELECT max(attempts - holds) FROM job_runs"); n != 1 {
			t.Errorf("%d attempts count; want 1, since to wait for an entity is none", n)
		}
	})
}

// watchedEntities sees to it that one event of an entity is handled at a time, and
// none that is older than the one before.
type watchedEntities struct {
	t     *testing.T
	mu    sync.Mutex
	live  map[string]int
	begun map[string]int64
}

func (w *watchedEntities) handle(e planned) {
	w.mu.Lock()
	if w.live[e.entity]++; w.live[e.entity] > 1 || e.version <= w.begun[e.entity] {
		w.t.Errorf("version %d of %s is run after %d, beside %d others", e.version, e.entity, w.begun[e.entity], w.live[e.entity]-1)
	}
	w.begun[e.entity] = e.version
	w.mu.Unlock()
	goruntime.Gosched()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.live[e.entity]--
}

// untilAnswered delivers an event as a broker does that delivers at once again.
func (w *orderWorker) untilAnswered(entity string, version int64, handle func(context.Context) error) {
	for {
		_, err := w.deliver(context.Background(), entity, version, handle)
		if errors.Is(err, idem.ErrInProgress) {
			goruntime.Gosched()
			continue
		}
		if err != nil && !errors.Is(err, idem.ErrStale) {
			w.t.Errorf("version %d of %s: %v", version, entity, err)
		}
		return
	}
}

// What the handler's error comes to: nothing is applied, and the entity is free.
func TestOrderOfFailures(t *testing.T) {
	down := errors.New("the provider is down")
	eachOrder(t, func(t *testing.T, w *orderWorker) {
		for _, tt := range []struct {
			name   string
			handle func(context.Context) error
			status idem.Status
			want   error
		}{
			{"permanent", fails(idem.Permanent(down)), idem.StatusFailed, idem.ErrFailed},
			{"error", fails(down), idem.StatusWaiting, down},
			{"hold", fails(idem.RetryAfter(time.Minute, down)), idem.StatusWaiting, idem.ErrInProgress},
			{"panic", func(context.Context) error { panic("out of cheese") }, idem.StatusWaiting, nil},
			{"another's stale run", fails(idem.ErrStale), idem.StatusWaiting, nil},
		} {
			w.apply(tt.name, 2)
			var err error
			recovered(func() { _, err = w.deliver(t.Context(), tt.name, 5, tt.handle) })
			if tt.want != nil && !errors.Is(err, tt.want) || errors.Is(err, idem.ErrStale) {
				t.Errorf("%s: got %v; want %v", tt.name, err, tt.want)
			}
			if rec := lookup(t, w.db, depositKey(tt.name, 5)); rec.Status != tt.status {
				t.Errorf("%s: the row is %+v", tt.name, rec)
			}
			w.wantEntity(tt.name, tt.name, 2, false)
			w.apply(tt.name, 4)
			w.wantStale(tt.name, 3, 4)
		}
	})
}

// A claim and its spec have to agree, and what is wrong is told before anything is
// sent.
func TestOrderThatCannotBe(t *testing.T) {
	plain := leased
	ordered := idem.Spec{Handler: "deposit", Lease: time.Minute, Attempts: 3, Ordered: true}
	entity := idem.Literal("account:7")
	for _, tt := range []struct {
		name string
		spec idem.Spec
		opts []idem.ClaimOption
		want error
		text string
	}{
		{"no order", ordered, nil, nil, "need each other"},
		{"no spec", plain, []idem.ClaimOption{depositOrder("7", 1)}, nil, "need each other"},
		{"no entity", ordered, []idem.ClaimOption{idem.WithOrder(idem.NewOrder(idem.At("v", 1)))}, idem.ErrEmptyKeyPart, `order of deposit "notify:1": empty key part`},
		{"an empty part", ordered, []idem.ClaimOption{depositOrder("", 1)}, idem.ErrEmptyKeyPart, "{event.AccountID}"},
		{"no time", ordered, []idem.ClaimOption{idem.WithOrder(idem.NewOrder(idem.AtTime("event.At", time.Time{}), entity))}, idem.ErrEmptyKeyPart, "{event.At}"},
		{"no version", ordered, []idem.ClaimOption{idem.WithOrder(idem.NewOrder(idem.MissingVersion("event.Meta.Version"), entity))}, idem.ErrEmptyKeyPart, "{event.Meta.Version}"},
		{"too large", ordered, []idem.ClaimOption{idem.WithOrder(idem.NewOrder(idem.At("event.V", uint64(math.MaxInt64+1)), entity))}, idem.ErrBadPart,
			"{event.V}: version 9223372036854775808 is over 9223372036854775807"},
		{"too late", ordered, []idem.ClaimOption{idem.WithOrder(idem.NewOrder(idem.AtTime("event.V", time.Date(300_000, 1, 1, 0, 0, 0, 0, time.UTC)), entity))},
			idem.ErrBadPart, "{event.V}: the microseconds of year 300000 are over 9223372036854775807"},
		{"a store without", ordered, []idem.ClaimOption{depositOrder("7", 1)}, nil, "a *runtime_test.scripted keeps no order of entities"},
	} {
		store := &scripted{claimed: func(idem.ClaimRequest) (idem.Record, error) {
			t.Errorf("%s: the store was asked", tt.name)
			return idem.Record{}, nil
		}}
		_, err := idem.Claim[receipt](t.Context(), store, tt.spec, key, tt.opts...)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got %v; want %q", tt.name, err, tt.text)
		}
	}
	if _, err := idem.ClaimTx[any, receipt](t.Context(), noOrder{}, ordered, key, depositOrder("7", 1)); err == nil || !strings.Contains(err.Error(), "keeps no order") {
		t.Errorf("in a transaction: %v", err)
	}
	if err := idem.Maintain(t.Context(), noOrder{}, []idem.Spec{{Handler: "deposit", Retain: time.Hour, Ordered: true}}); err == nil || !strings.Contains(err.Error(), "deposit has an order") {
		t.Errorf("maintenance: %v", err)
	}
}

// noOrder is a store that keeps none.
type noOrder struct {
	idem.TxStore
	idem.Maintainer
}

// Versions of any kind, in their order.
func TestVersions(t *testing.T) {
	type version uint32
	at := time.Date(2026, 1, 2, 3, 4, 5, 6789, time.FixedZone("", 3600))
	eachOrder(t, func(t *testing.T, w *orderWorker) {
		n := 0
		for _, pair := range [][2]idem.Version{
			{idem.At("v", -1), idem.At("v", 0)},
			{idem.At("v", int64(math.MinInt64)), idem.At("v", int64(math.MaxInt64))},
			{idem.At("v", version(7)), idem.At("v", uint64(math.MaxInt64))},
			{idem.At("v", uint8(255)), idem.At("v", 256)},
			{idem.AtTime("v", at), idem.AtTime("v", at.Add(time.Microsecond).UTC())},
			{idem.AtTime("v", time.Unix(0, 0).Add(-time.Hour)), idem.AtTime("v", time.Unix(0, 0))},
		} {
			deliver := func(v idem.Version) error {
				n++
				_, err := w.deliverWith(t.Context(), idem.Key(fmt.Sprint("deposit:", n)), func(context.Context, func(string) error) error { return nil }, receipt{},
					idem.WithOrder(idem.NewOrder(v, idem.Literal(fmt.Sprintf("%v", pair)))))
				return err
			}
			if err := deliver(pair[1]); err != nil {
				t.Error(err)
			}
			if err := deliver(pair[1]); err != nil {
				t.Errorf("another event of the same version: %v", err)
			}
			if err := deliver(pair[0]); !errors.Is(err, idem.ErrStale) {
				t.Errorf("%v after %v: %v", pair[0], pair[1], err)
			}
		}
	})
}
