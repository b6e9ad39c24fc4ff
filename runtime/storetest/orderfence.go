package storetest

import (
	"context"
	"fmt"
	"math"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// wantNoEntityWrite checks that a token can write nothing.
func (s *orderSuite) wantNoEntityWrite(what string, token idem.EntityToken) {
	s.Helper()
	ctx := context.Background()
	s.wantSame(what, func() {
		s.wantLost(what+": apply", s.order.Apply(ctx, token, 99))
		s.wantLost(what+": leave", s.order.Leave(ctx, token))
		s.wantLost(what+": keep", s.order.Keep(ctx, token, 9*lease))
	})
}

func entityLost(s *orderSuite) {
	for how, lose := range map[string]func(name string){
		"taken over":             func(name string) { s.holdEntity(name, 3) },
		"taken over and applied": func(name string) { s.apply(s.holdEntity(name, 3).Token(), 3) },
		"taken over and left": func(name string) {
			s.must(s.order.Leave(context.Background(), s.holdEntity(name, 3).Token()))
		},
		"purged": func(name string) { s.Exec(s, fmt.Sprintf("DELETE FROM %s_order WHERE entity = '%s'", s.Table, name)) },
		"purged, and held by another": func(name string) {
			s.Exec(s, fmt.Sprintf("DELETE FROM %s_order WHERE entity = '%s'", s.Table, name))
			s.holdEntity(name, 3)
		},
	} {
		held := s.holdEntity(how, 1)
		s.Advance(lease + tick)
		lose(how)
		s.wantNoEntityWrite(how, held.Token())
	}
}

func entityFence(s *orderSuite) {
	s.apply(s.holdEntity("account:7", 1).Token(), 1)
	held := s.holdEntity("account:7", 2).Token()
	s.holdEntity("account:8", 2)
	owner, sooner, later, entity, other := held, held, held, held, held
	owner.Owner = idem.NewOwner()
	sooner.Lease--
	later.Lease++
	entity.Entity = "account:8"
	other.Handler = "charge"
	for what, token := range map[string]idem.EntityToken{
		"another owner": owner, "the lease before": sooner, "the lease after": later, "another entity": entity, "another handler": other,
	} {
		s.wantNoEntityWrite(what, token)
	}
	s.apply(held, 2)
}

func keepEntity(s *orderSuite) {
	ctx := context.Background()
	held := s.holdEntity("account:7", 1)
	for _, d := range []time.Duration{lease, 3 * lease, lease / 2} {
		s.Advance(4 * lease) // over
		s.must(s.order.Keep(ctx, held.Token(), d))
		held.Remaining = d
		s.wantEntity("kept", s.enter(event("account:7", 2)), held)
	}
	s.Advance(9 * lease)
	s.apply(held.Token(), 1)
	if e := s.enter(event("account:7", 0)); !e.Applied || e.Version != 1 {
		s.Errorf("applied late: %s", showEntity(e))
	}
	late := s.holdEntity("account:8", 1)
	s.Advance(9 * lease)
	s.must(s.order.Leave(ctx, late.Token()))
	s.must(s.order.Keep(ctx, s.holdEntity("account:8", 1).Token(), math.MaxInt64))
	s.Advance(years)
	if e := s.enter(event("account:8", 2)); e.Remaining <= 0 {
		s.Errorf("kept for ever: %s", showEntity(e))
	}
}
