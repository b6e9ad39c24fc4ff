package storetest

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
)

func (s *orderSuite) purgeEntities(retain time.Duration, limit, want int) {
	s.Helper()
	n, err := s.order.PurgeEntities(context.Background(), handler, retain, limit)
	s.must(err)
	if n != want {
		s.Errorf("a purge of at most %d deleted %d entities, want %d", limit, n, want)
	}
}

func (s *orderSuite) wantThere(want int) {
	s.Helper()
	if n := s.there(); n != want {
		s.Errorf("%d entities are left, want %d", n, want)
	}
}

// there counts the entities that are there, of all handlers.
func (s *orderSuite) there() int {
	s.Helper()
	return s.Count(s, fmt.Sprintf("SELECT count(*) FROM %s_order", s.Table))
}

// purgeEntities has entities that came to rest 1 ms longer ago than retain, and ones
// that did 1 ms less.
func purgeEntities(s *orderSuite) {
	const retain = 100 * lease
	ctx := context.Background()
	other := event("applied old", 1) // which the handler has, too
	other.Handler = "charge"
	s.apply(s.enter(other).Token(), 1)
	rest := func(age string) {
		s.apply(s.holdEntity("applied "+age, 1).Token(), 1)
		s.must(s.order.Leave(ctx, s.holdEntity("left "+age, 1).Token()))
	}
	long := event("held", 1)
	long.Lease = 1000 * retain
	s.enter(long)
	dead := event("of a dead worker", 1)
	dead.Lease = lease
	s.enter(dead)
	rest("old")
	s.apply(s.holdEntity("applied again", 1).Token(), 1)
	s.Advance(2 * tick)
	rest("young")
	s.apply(s.holdEntity("applied again", 1).Token(), 1)
	s.Advance(retain - tick)

	for _, keeps := range []time.Duration{0, math.MaxInt64} { // for ever
		s.purgeEntities(keeps, 99, 0)
	}
	s.purgeEntities(retain, 0, 0)
	s.purgeEntities(retain, -1, 0)
	s.purgeEntities(retain, 1, 1)
	s.purgeEntities(retain, 99, 1)
	s.purgeEntities(retain, 99, 0)
	s.wantThere(6)
	s.Advance(lease)
	s.purgeEntities(retain, 2, 2)
	s.purgeEntities(retain, 99, 2)
	s.wantThere(2) // the held one, and the other handler's
	if e := s.holdEntity("applied old", 0); e.Applied || e.Lease != 1 {
		s.Errorf("entered after a purge: %s", showEntity(e))
	}
}

func purgeEntitiesRefused(s *orderSuite) {
	for n := range 40 {
		s.apply(s.holdEntity(fmt.Sprint("account:", n), 1).Token(), 1)
	}
	s.refuse(s, "account:3")
	s.refuse(s, "account:17")
	s.Advance(2 * retention)
	n, err := s.order.PurgeEntities(context.Background(), handler, retention, 99)
	if n != 38 || err == nil || !strings.Contains(err.Error(), "2 entities") ||
		!strings.Contains(err.Error(), `"account:3"`) || !strings.Contains(err.Error(), `"account:17"`) {
		s.Errorf("deleted %d, %v", n, err)
	}
	s.wantThere(2)
}

// purgedBetween has entities entered, or applied, after a purge has found them.
func purgedBetween(s *orderSuite, wire *Wire) {
	for range 3 {
		for n := range 3 {
			s.apply(s.holdEntity(fmt.Sprint("account:", n), 1).Token(), 1)
		}
		s.Advance(2 * retention)
		wire.before("DELETE", func() {
			s.holdEntity("account:0", 1)
			s.apply(s.holdEntity("account:1", 1).Token(), 1)
		})
		s.purgeEntities(retention, 99, 1)
		s.wantThere(2)
		s.Advance(2 * retention)
		s.purgeEntities(retention, 99, 2)
	}
}
