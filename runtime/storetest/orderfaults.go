package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// orderFaults continue the list of promises, as doc.go has it.
var orderFaults = []struct {
	text string
	test func(*orderSuite, *Wire)
}{
	{"An entry whose answer was lost is recognised: the same lease, and its whole duration.", lostEntry},
	{"A write to an entity whose answer was lost is found to have been made, once.", lostEntityWrite},
	{"An entity that changes between the look and the write is looked at again, not overwritten.", entityChangedBetween},
	{"An entry that is cancelled before its answer came holds nothing, nor does it later.", noGhostEntry},
	{"A purge leaves entities that were entered since it has found them.", purgedBetween},
}

// RunOrderFaults tests what a store does when something comes between two of its
// statements about an entity, or between a statement and its answer.
func RunOrderFaults(t *testing.T, open func(testing.TB, *Wire) Harness) {
	first := len(promises) + len(faults) + len(inTransactions) + len(maintenance) + len(inOrder) + 1
	for i, f := range orderFaults {
		t.Run(fmt.Sprintf("%02d %s", first+i, f.text), func(t *testing.T) {
			wire := new(Wire)
			f.test(newOrderSuite(t, open(t, wire), nil), wire)
		})
	}
}

// entrances bring an entity to where it can be entered, by the statement that does
// it.
var entrances = []struct {
	name, verb string
	lease      int64 // that the entry gets
	arrange    func(*orderSuite, string)
}{
	{"new", "INSERT", 1, func(*orderSuite, string) {}},
	{"free", "UPDATE", 2, func(s *orderSuite, name string) { s.apply(s.holdEntity(name, 1).Token(), 1) }},
	{"expired", "UPDATE", 2, func(s *orderSuite, name string) { s.holdEntity(name, 1); s.Advance(lease + tick) }},
}

func lostEntry(s *orderSuite, wire *Wire) {
	for how, cut := range cuts {
		for _, e := range entrances {
			for _, passed := range []time.Duration{0, lease / 2, 2 * lease} {
				name := fmt.Sprintf("%s, %s, %v later", how, e.name, passed)
				e.arrange(s, name)
				wire.next(e.verb, func(ctx context.Context, run func(context.Context) error) error {
					defer s.Advance(passed)
					return cut(ctx, run)
				})
				if got := s.holdEntity(name, 2); !wire.met() || got.Lease != e.lease || got.Remaining != lease {
					s.Errorf("%s: got %s", name, showEntity(got))
				}
			}
		}
	}
}

// entityWrites are what a holder does with its token.
var entityWrites = map[string]func(idem.OrderStore, idem.EntityToken) error{
	"apply": func(store idem.OrderStore, token idem.EntityToken) error {
		return store.Apply(context.Background(), token, 5)
	},
	"leave": func(store idem.OrderStore, token idem.EntityToken) error {
		return store.Leave(context.Background(), token)
	},
	"keep": func(store idem.OrderStore, token idem.EntityToken) error {
		return store.Keep(context.Background(), token, 3*lease)
	},
}

func lostEntityWrite(s *orderSuite, wire *Wire) {
	for what, write := range entityWrites {
		for how, cut := range cuts {
			whole, torn := what+" uncut, "+how, what+" cut "+how
			s.must(write(s.order, s.holdEntity(whole, 5).Token()))
			held := s.holdEntity(torn, 5)
			wire.next("UPDATE", cut)
			if err := write(s.order, held.Token()); err != nil || !wire.met() {
				s.Errorf("%s: %v", torn, err)
			}
			same := fmt.Sprintf(`SELECT count(*) FROM %[1]s_order a JOIN %[1]s_order b ON a.lease = b.lease AND coalesce(a.version, -1) = coalesce(b.version, -1)
				AND coalesce(a.due, a.created_at) = coalesce(b.due, b.created_at) WHERE a.entity = '%[2]s' AND b.entity = '%[3]s'`, s.Table, whole, torn)
			if s.Count(s, same) != 1 {
				s.Errorf("%s: the entity is left as %s", torn, showEntity(s.enter(event(torn, 0))))
			}
			s.wantEntityLostMeanwhile(what, write, wire, cut)
		}
	}
}

// wantEntityLostMeanwhile has the entity taken over while the answer is lost.
func (s *orderSuite) wantEntityLostMeanwhile(what string, write func(idem.OrderStore, idem.EntityToken) error, wire *Wire, cut meeting) {
	s.Helper()
	token := s.holdEntity("overtaken", 5).Token()
	s.Advance(lease + tick)
	wire.next("UPDATE", func(ctx context.Context, run func(context.Context) error) error {
		s.must(s.order.Leave(ctx, s.holdEntity("overtaken", 5).Token()))
		return cut(ctx, run)
	})
	s.wantLost(what, write(s.order, token))
	if e := s.holdEntity("overtaken", 1); e.Applied {
		s.Errorf("%s: left as %s", what, showEntity(e))
	}
	s.Exec(s, fmt.Sprintf("DELETE FROM %s_order WHERE entity = 'overtaken'", s.Table))
}

// entityChange is what may happen to an entity that can be entered, after an entry
// has looked at it and before it writes.
type entityChange struct {
	from    int // of entrances
	name    string
	happen  func(name string, held idem.EntityToken)
	granted bool
	stale   bool
}

func (s *orderSuite) entityChanges() []entityChange {
	return []entityChange{
		{0, "entered by another", func(name string, _ idem.EntityToken) { s.holdEntity(name, 9) }, false, false},
		{0, "entered and applied by another", func(name string, _ idem.EntityToken) { s.apply(s.holdEntity(name, 9).Token(), 9) }, false, true},
		{1, "entered by another", func(name string, _ idem.EntityToken) { s.holdEntity(name, 9) }, false, false},
		{1, "a newer version applied", func(name string, _ idem.EntityToken) { s.apply(s.holdEntity(name, 9).Token(), 9) }, false, true},
		{1, "entered and left", func(name string, _ idem.EntityToken) {
			s.must(s.order.Leave(context.Background(), s.holdEntity(name, 9).Token()))
		}, true, false},
		{1, "purged", func(name string, _ idem.EntityToken) {
			s.Exec(s, fmt.Sprintf("DELETE FROM %s_order WHERE entity = '%s'", s.Table, name))
		}, true, false},
		{1, "a newer version by hand", func(name string, _ idem.EntityToken) {
			s.Exec(s, fmt.Sprintf("UPDATE %s_order SET version = 9 WHERE entity = '%s'", s.Table, name))
		}, false, true},
		{2, "kept", func(_ string, held idem.EntityToken) { s.must(s.order.Keep(context.Background(), held, lease)) }, false, false},
		{2, "applied", func(_ string, held idem.EntityToken) { s.apply(held, 9) }, false, true},
		{2, "left", func(_ string, held idem.EntityToken) { s.must(s.order.Leave(context.Background(), held)) }, true, false},
		{2, "taken over", func(name string, _ idem.EntityToken) { s.holdEntity(name, 9) }, false, false},
	}
}

func entityChangedBetween(s *orderSuite, wire *Wire) {
	for _, c := range s.entityChanges() {
		e := entrances[c.from]
		name := e.name + ", " + c.name
		e.arrange(s, name)
		var held idem.EntityToken
		if e.name == "expired" {
			before, err := s.order.Enter(context.Background(), event(name, 1)) // whose lease is over then
			s.must(err)
			s.Advance(lease + tick)
			held = before.Token()
		}
		wire.before(e.verb, func() { c.happen(name, held) })
		req := event(name, 2)
		got := s.enter(req)
		if !wire.met() || got.HeldBy(req.Owner) != c.granted || got.Stale(2) != c.stale {
			s.Errorf("%s: got %s; want entered: %t, stale: %t", name, showEntity(got), c.granted, c.stale)
		}
	}
}

func noGhostEntry(s *orderSuite, wire *Wire) {
	for _, e := range entrances {
		for _, arrival := range []string{"in time", "never", "late"} {
			name := e.name + ", arrives " + arrival
			e.arrange(s, name)
			ctx, cancel := context.WithCancel(context.Background())
			arrive := func() {}
			wire.next(e.verb, func(ctx context.Context, run func(context.Context) error) error {
				cancel()
				detached := context.WithoutCancel(ctx)
				switch arrival {
				case "in time":
					s.must(run(detached))
				case "late":
					// It finds nothing to do: to some drivers that is an error.
					arrive = func() { _ = run(detached) }
				}
				return errCut
			})
			if got, err := s.order.Enter(ctx, event(name, 2)); !errors.Is(err, context.Canceled) || !wire.met() {
				s.Errorf("%s: got %s, %v, want context.Canceled", name, showEntity(got), err)
			}
			arrive()
			s.holdEntity(name, 2) // which is free
		}
	}
}
