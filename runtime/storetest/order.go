package storetest

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// inOrder continues the list of promises, as doc.go has it.
var inOrder = []struct {
	text string
	test func(*orderSuite)
}{
	{"An entity that is new, or that nobody holds, is the caller's, with its whole lease under the next number.", enterFree},
	{"While the lease of an entity is in force, others are told who holds it, and change nothing.", enterHeld},
	{"Of concurrent entries of one entity exactly one holds it.", oneEnters},
	{"An entity is a handler's, and is compared byte for byte.", distinctEntities},
	{"A version below the newest that was applied is stale, and changes nothing; the same one, and a newer one, enter.", versions},
	{"Apply makes a version the newest, Leave does not, and either ends the lease; again with the same token is no error.", applyAndLeave},
	{"Who has lost the entity gets ErrLeaseLost for every write, and the row is as others left it.", entityLost},
	{"A write to an entity needs the owner and the number of a lease that has not ended, all of them.", entityFence},
	{"A holder of an entity whose lease is over, but whom nobody followed, still holds; Keep makes it end a duration from now.", keepEntity},
	{"An entry whose context has ended holds nothing and leaves nothing.", enterEnded},
	{"A purge deletes entities that nobody holds, and that nothing was applied to for longer than retain, and nothing else.", purgeEntities},
	{"A purge of entities passes over those that the database refuses to delete, deletes all others, and tells which.", purgeEntitiesRefused},
}

// RunOrder tests how a store that is an [idem.OrderStore] keeps entities. The
// harness is that of maintenance: Refuse has the database refuse to delete the
// entity of a name.
func RunOrder(t *testing.T, open func(testing.TB) MaintenanceHarness) {
	first := len(promises) + len(faults) + len(inTransactions) + len(maintenance) + 1
	for i, p := range inOrder {
		t.Run(fmt.Sprintf("%02d %s", first+i, p.text), func(t *testing.T) {
			t.Parallel()
			h := open(t)
			p.test(newOrderSuite(t, h.Harness, h.Refuse))
		})
	}
}

// orderSuite is a suite with the calls that these tests make.
type orderSuite struct {
	*suite
	order  idem.OrderStore
	refuse func(t testing.TB, name string)
}

func newOrderSuite(t testing.TB, h Harness, refuse func(testing.TB, string)) *orderSuite {
	return &orderSuite{&suite{TB: t, Harness: h}, h.Store.(idem.OrderStore), refuse}
}

// event asks for an entity as a delivery of its own would.
func event(entity string, version int64) idem.EntityRequest {
	key := idem.Key(fmt.Sprintf("%s:%d", entity, version))
	return idem.EntityRequest{Handler: handler, Entity: entity, Version: version, Key: key, Owner: idem.NewOwner(), Lease: lease}
}

func (s *orderSuite) enter(req idem.EntityRequest) idem.Entity {
	s.Helper()
	entity, err := s.order.Enter(context.Background(), req)
	if err != nil {
		s.Fatalf("enter %q: %v", req.Entity, err)
	}
	return entity
}

// holdEntity enters an entity that has to be free.
func (s *orderSuite) holdEntity(name string, version int64) idem.Entity {
	s.Helper()
	req := event(name, version)
	entity := s.enter(req)
	if !entity.HeldBy(req.Owner) {
		s.Fatalf("enter %q: not entered: %s", name, showEntity(entity))
	}
	return entity
}

func (s *orderSuite) apply(token idem.EntityToken, version int64) {
	s.Helper()
	s.must(s.order.Apply(context.Background(), token, version))
}

// wantEntity compares all that the store tells, but for Asked, which is the
// worker's own time.
func (s *orderSuite) wantEntity(what string, got, want idem.Entity) {
	s.Helper()
	if showEntity(got) != showEntity(want) {
		s.Errorf("%s:\n got %s\nwant %s", what, showEntity(got), showEntity(want))
	}
}

// wantSame checks that a call leaves the whole table of entities as it was.
func (s *orderSuite) wantSame(what string, call func()) {
	s.Helper()
	before := s.rows()
	call()
	if after := s.rows(); after != before {
		s.Errorf("%s: %d rows are other than before", what, after-before)
	}
}

// rows is a number that all columns of all entities have a part in.
func (s *orderSuite) rows() int {
	s.Helper()
	return s.Count(s, fmt.Sprintf(`SELECT CAST(coalesce(sum(coalesce(version %% 1000, 31) * 7 + lease * 10007 + length(key) * 100003
		+ CASE WHEN due IS NULL THEN 5 ELSE 17 END), 0) + count(*) * 1000000007 AS bigint) FROM %s_order`, s.Table))
}

func showEntity(e idem.Entity) string {
	return fmt.Sprintf("%q of %s: version %d (applied: %t), lease %d of %q, owner %s, held: %t, remaining %v",
		e.Name, e.Handler, e.Version, e.Applied, e.Lease, e.Key, e.Owner, e.Held, e.Remaining)
}

func enterFree(s *orderSuite) {
	for _, leave := range []func(idem.EntityToken) error{
		func(token idem.EntityToken) error { return s.order.Leave(context.Background(), token) },
		func(token idem.EntityToken) error { return s.order.Apply(context.Background(), token, 7) },
		func(idem.EntityToken) error { s.Advance(lease + tick); return nil }, // its worker has died
	} {
		first, next := event("account:7", 7), event("account:7", 8)
		got := s.enter(first)
		want := idem.Entity{Handler: handler, Name: "account:7", Lease: 1, Key: "account:7:7", Owner: first.Owner, Held: true, Remaining: lease}
		s.wantEntity("new", got, want)
		s.must(leave(got.Token()))
		got = s.enter(next)
		want.Version, want.Applied = got.Version, got.Applied
		want.Lease, want.Key, want.Owner = 2, next.Key, next.Owner
		s.wantEntity("free again", got, want)
		s.Exec(s, "DELETE FROM "+s.Table+"_order")
	}
}

func enterHeld(s *orderSuite) {
	held := s.holdEntity("account:7", 3)
	for _, passed := range []time.Duration{0, lease / 2, lease/2 - tick} {
		s.Advance(passed)
		held.Remaining -= passed
		for version := range int64(6) {
			s.wantSame("held", func() { s.wantEntity("held", s.enter(event("account:7", version)), held) })
		}
	}
	s.Advance(2 * tick)
	if taken := s.holdEntity("account:7", 2); taken.Lease != 2 {
		s.Errorf("1 ms after the end: %s", showEntity(taken))
	}
}

func oneEnters(s *orderSuite) {
	for round := range 40 {
		var mu sync.Mutex
		held := 0
		s.together(8, func(int) {
			req := event("account:7", int64(round))
			entity, err := s.order.Enter(context.Background(), req)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				s.Error(err)
			case entity.HeldBy(req.Owner):
				held++
				if entity.Lease != int64(round+1) {
					s.Errorf("round %d: %s", round, showEntity(entity))
				}
			}
		})
		if held != 1 {
			s.Fatalf("round %d: %d hold it", round, held)
		}
		s.Advance(lease + tick)
	}
}

func distinctEntities(s *orderSuite) {
	names := []string{"account:7", "account:70", "Account:7", "account:7 ", "compte:\u00e9", "compte:e\u0301", strings.Repeat("x", idem.MaxKeyBytes)}
	for _, name := range names {
		if e := s.holdEntity(name, 1); e.Name != name || e.Lease != 1 {
			s.Errorf("%q: %s", name, showEntity(e))
		}
	}
	other := event("account:7", 1)
	other.Handler = "charge"
	e := s.enter(other)
	if !e.HeldBy(other.Owner) || e.Handler != "charge" {
		s.Errorf("of another handler: %s", showEntity(e))
	}
	s.apply(e.Token(), 9)
	s.Advance(lease + tick)
	s.holdEntity("account:7", 2) // which is not stale to this one
}

func versions(s *orderSuite) {
	for _, v := range []int64{0, -5, 3, math.MaxInt64, math.MinInt64} {
		name := fmt.Sprint("account:", v)
		held := s.holdEntity(name, v)
		s.apply(held.Token(), v)
		applied := held
		applied.Version, applied.Applied, applied.Held, applied.Remaining = v, true, false, 0
		if v > math.MinInt64 {
			s.wantSame("stale", func() {
				older := s.enter(event(name, v-1))
				s.wantEntity("stale", older, applied)
				if !older.Stale(v-1) || older.Stale(v) {
					s.Errorf("%s is stale for %d: %t", showEntity(older), v-1, older.Stale(v-1))
				}
			})
		}
		again := s.holdEntity(name, v)
		s.must(s.order.Leave(context.Background(), again.Token()))
		if v < math.MaxInt64 {
			s.apply(s.holdEntity(name, v+1).Token(), v+1)
			s.wantSame("then", func() {
				if e := s.enter(event(name, v)); !e.Stale(v) {
					s.Errorf("after %d: %s", v+1, showEntity(e))
				}
			})
		}
	}
}

func applyAndLeave(s *orderSuite) {
	ctx := context.Background()
	held := s.holdEntity("account:7", 3)
	s.must(s.order.Leave(ctx, held.Token()))
	s.must(s.order.Leave(ctx, held.Token()))
	held = s.holdEntity("account:7", 2) // nothing was applied
	s.apply(held.Token(), 2)
	s.wantSame("applied again", func() { s.apply(held.Token(), 2) })
	s.wantLost("apply another", s.order.Apply(ctx, held.Token(), 9))
	s.wantLost("keep", s.order.Keep(ctx, held.Token(), lease))
	held = s.holdEntity("account:7", 5)
	s.must(s.order.Leave(ctx, held.Token()))
	s.wantLost("apply after leaving", s.order.Apply(ctx, held.Token(), 5))
	if e := s.enter(event("account:7", 1)); e.Version != 2 || e.Held {
		s.Errorf("left: %s", showEntity(e))
	}
}

func enterEnded(s *orderSuite) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.apply(s.holdEntity("account:7", 1).Token(), 1)
	for _, name := range []string{"account:7", "account:8"} {
		s.wantSame(name, func() {
			if e, err := s.order.Enter(ctx, event(name, 2)); err == nil {
				s.Errorf("%s: entered: %s", name, showEntity(e))
			}
		})
	}
}
