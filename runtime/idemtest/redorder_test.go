package idemtest_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

func orderedBy(order ordering) fault { return wrapped(bookOnceWith(bookSpec, order)) }

func entitiesOf(broken func(idem.OrderStore, idemtest.DB) idem.Store) fault {
	return func(s *idemtest.Suite[receipt], db idemtest.DB) {
		right := s.Deliver
		s.Deliver = func(ctx context.Context, store idem.Store, n int, handle func(context.Context) (receipt, error)) (receipt, error) {
			if real, ok := store.(idem.OrderStore); ok && store == db.Store() {
				store = broken(real, db)
			}
			return right(ctx, store, n, handle)
		}
	}
}

// before does something else ahead of each delivery.
func before(other func(context.Context, idemtest.DB, int)) fault {
	return func(s *idemtest.Suite[receipt], db idemtest.DB) {
		right := s.Deliver
		s.Deliver = func(ctx context.Context, store idem.Store, n int, handle func(context.Context) (receipt, error)) (receipt, error) {
			other(ctx, db, n)
			return right(ctx, store, n, handle)
		}
	}
}

// TestBrokenOrder puts faults into an ordered wrapper, its order, or a store of
// entities, and checks that the scenario which is there for it fails, and says why.
func TestBrokenOrder(t *testing.T) {
	const (
		shuffled = "; the versions came in the order "
		either   = " | "
		// It says which by who comes first to say what it was answered.
		noAnswerAfter  = "got error no answer; want its result, or idem.ErrStale"
		noAnswerBefore = "was answered no answer, then <nil>"
	)
	tests := []struct {
		fault, scenarios, says string
		put                    fault
	}{
		{"wrapper has no order", "keys", "delivery 1 asked for no entity, though its spec is Ordered", wrapped(unordered)},
		{"wrapper has no order", "older entity_crash", "want", wrapped(unordered)},
		{"wrapper has no order", "entity_held", "another version while the handler runs: got error <nil>", wrapped(unordered)},
		{"wrapper has no order", "shuffled", shuffled, wrapped(unordered)},
		{"events are entities of their own", "keys", `deliveries 1 and 2 are of the entities "evt_1" and "evt_2": let the fixture's arguments be of the same entity`, orderedBy(ownEntities)},
		{"events are entities of their own", "older", "behind it: got error <nil>; want idem.ErrStale", orderedBy(ownEntities)},
		{"events are entities of their own", "shuffled", shuffled, orderedBy(ownEntities)},
		{"one version", "keys", "delivery 1 is of version 1, and delivery 2 of version 1: let the fixture's arguments have a greater version", orderedBy(oneVersion)},
		{"one version", "older", "want idem.ErrStale", orderedBy(oneVersion)},
		{"falling versions", "keys", "delivery 1 is of version -1, and delivery 2 of version -2", orderedBy(falling)},
		{"falling versions", "older", "want idem.ErrStale", orderedBy(falling)},
		{"versions of time", "keys", "depend on n alone, not on time or chance", orderedBy(timelyVersions)},
		{"entities of chance", "keys", "depend on n alone, not on time or chance", orderedBy(randomEntities)},
		{"no version", "keys", "{event.At}: empty key part: let the fixture's arguments set it, the version to one that grows with n", orderedBy(noVersion)},
		{"no entity", "keys", "{event.Account}: empty key part: let the fixture's arguments set it", orderedBy(noEntity)},
		{"wrapper runs what is stale", "older shuffled", "", wrapped(inSpiteOf(idem.ErrStale))},
		{"wrapper hides that it is stale", "older", "got error <nil>; want idem.ErrStale", wrapped(hiding(idem.ErrStale))},
		{"wrapper hides that it is stale", "shuffled", "the handler ran 0 times; want 1", wrapped(hiding(idem.ErrStale))},
		{"wrapper runs while another version does", "entity_held", "", wrapped(inSpiteOf(idem.ErrInProgress))},
		{"wrapper hides that another version runs", "entity_held", "got error <nil>; want *idem.InProgressError", wrapped(hiding(idem.ErrInProgress))},
		{"store compares no versions", "older entity_crash entity_zombie", "want idem.ErrStale", entitiesOf(func(s idem.OrderStore, _ idemtest.DB) idem.Store { return unversioned{s} })},
		{"store lets everybody in", "entity_held entity_crash", "want *idem.InProgressError", entitiesOf(func(s idem.OrderStore, _ idemtest.DB) idem.Store { return crowded{s} })},
		{"store lets everybody in", "shuffled", shuffled, entitiesOf(func(s idem.OrderStore, _ idemtest.DB) idem.Store { return crowded{s} })},
		{"store applies nothing", "older", "want idem.ErrStale", entitiesOf(func(s idem.OrderStore, _ idemtest.DB) idem.Store { return unapplied{s} })},
		{"store does not fence what is applied", "entity_zombie", "want idem.ErrLeaseLost", entitiesOf(func(s idem.OrderStore, db idemtest.DB) idem.Store { return unfencedEntities{s, db} })},
		{"store keeps the entity of the last", "older", "has 1 rows, and 1 are held; want 1 that is free", entitiesOf(func(s idem.OrderStore, _ idemtest.DB) idem.Store { return staying{s, 3} })},
		{"wrapper enters another entity", "older", "has 4 rows, and 0 are held; want 1 that is free", before(passBy)},
		{"wrapper claims another key", "older", "1 runs are neither done nor stale", before(claimAnother)},
		{"wrapper takes the newest for stale", "shuffled", "the newest version that ran is 7; want 8", wrapped(staleAt(8))},
		{"wrapper has no answer to a duplicate", "shuffled", noAnswerAfter + either + noAnswerBefore, wrapped(unanswering)},
		{"store applies what it refuses", "entity_zombie", "changed the entity: it was", entitiesOf(func(s idem.OrderStore, db idemtest.DB) idem.Store { return dishonest{unfencedEntities{s, db}} })},
		{"store keeps the entity", "older entity_held", "", entitiesOf(func(s idem.OrderStore, _ idemtest.DB) idem.Store { return staying{s, 1} })},
		{"store keeps the entity, and applies nothing", "shuffled", " times, at last when no other delivery was under way", entitiesOf(func(s idem.OrderStore, _ idemtest.DB) idem.Store { return idle{s} })},
	}
	for _, tt := range tests {
		for _, open := range orderDatabases(t) {
			for name := range strings.FieldsSeq(tt.scenarios) {
				t.Run(tt.fault+"/"+open(nil).Name()+"/"+name, func(t *testing.T) {
					t.Parallel()
					s, db := orderSuite(t, bookSpec), open(t)
					tt.put(&s, db)
					got := idemtest.Try(t, s, db, name)
					told := func(says string) bool { return strings.Contains(got, says) }
					if got == "" || !slices.ContainsFunc(strings.Split(tt.says, either), told) {
						t.Fatalf("the scenario failed with\n%q\nwant %q", got, tt.says)
					}
				})
			}
		}
	}
}

// The same for handlers that work in the transaction of their claim.
func TestBrokenTransactionalOrder(t *testing.T) {
	for _, tt := range []struct {
		fault, scenarios, says string
		order                  ordering
	}{
		{"events are entities of their own", "keys", "let the fixture's arguments be of the same entity", ownEntities},
		{"events are entities of their own", "older entity_crash", "want idem.ErrStale", ownEntities},
		{"one version", "older entity_crash", "want idem.ErrStale", oneVersion},
		{"one version", "shuffled", "; the versions came in the order ", oneVersion},
		{"no version", "keys", "{event.At}: empty key part: let the fixture's arguments set it", noVersion},
	} {
		for _, open := range orderDatabases(t) {
			for name := range strings.FieldsSeq(tt.scenarios) {
				t.Run(tt.fault+"/"+open(nil).Name()+"/"+name, func(t *testing.T) {
					t.Parallel()
					db := open(t)
					got := idemtest.Try(t, orderTxSuite(t, open, tt.order), db, name)
					if got == "" || !strings.Contains(got, tt.says) {
						t.Fatalf("the scenario failed with\n%q\nwant %q", got, tt.says)
					}
				})
			}
		}
	}
}

// An entity that is entered outside of the transaction is there when the worker has
// died.
func TestEntityBesideTheTransaction(t *testing.T) {
	for _, open := range orderDatabases(t) {
		t.Run(open(nil).Name(), func(t *testing.T) {
			db := open(t)
			s := orderTxSuite(t, open, bookOrder)
			before(passBy)(&s, db)
			if got := idemtest.Try(t, s, db, "entity_crash"); !strings.Contains(got, "the entity and the work have to be in one transaction") {
				t.Errorf("the scenario failed with %q", got)
			}
		})
	}
}

// Whether two versions meet is up to chance, what is said of it is not.
func TestOverlap(t *testing.T) {
	if got := idemtest.Overlap(); got != "two versions of one entity ran at the same time" {
		t.Errorf("got %q", got)
	}
}
