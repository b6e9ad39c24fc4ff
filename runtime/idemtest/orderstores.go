package idemtest

import (
	"context"
	"errors"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// What the stores in front of a database do with entities.

// entitiesOf are those of a store or a transaction, nil if it has none.
func entitiesOf(of any) idem.Entities {
	entities, _ := of.(idem.Entities)
	return entities
}

// Enter implements [idem.Entities].
func (m *mortal) Enter(ctx context.Context, req idem.EntityRequest) (idem.Entity, error) {
	if m.dead.Load() {
		return idem.Entity{}, errDied
	}
	return entitiesOf(m.Store).Enter(ctx, req)
}

// Apply implements [idem.Entities].
func (m *mortal) Apply(ctx context.Context, token idem.EntityToken, version int64) error {
	if m.dead.Load() {
		return errDied
	}
	return entitiesOf(m.Store).Apply(ctx, token, version)
}

// Leave implements [idem.Entities].
func (m *mortal) Leave(ctx context.Context, token idem.EntityToken) error {
	if m.dead.Load() {
		return errDied
	}
	return entitiesOf(m.Store).Leave(ctx, token)
}

// Keep implements [idem.Entities].
func (m *mortal) Keep(ctx context.Context, token idem.EntityToken, lease time.Duration) error {
	if m.dead.Load() {
		return errDied
	}
	return entitiesOf(m.Store).Keep(ctx, token, lease)
}

// PurgeEntities implements [idem.OrderStore].
func (m *mortal) PurgeEntities(context.Context, string, time.Duration, int) (int, error) {
	return 0, nil
}

// noEntities is a store that no run gets as far as to an entity in.
type noEntities struct{}

// Enter implements [idem.Entities].
func (noEntities) Enter(context.Context, idem.EntityRequest) (idem.Entity, error) {
	return idem.Entity{}, errDown
}

// Apply implements [idem.Entities].
func (noEntities) Apply(context.Context, idem.EntityToken, int64) error { return errDown }

// Leave implements [idem.Entities].
func (noEntities) Leave(context.Context, idem.EntityToken) error { return errDown }

// Keep implements [idem.Entities].
func (noEntities) Keep(context.Context, idem.EntityToken, time.Duration) error { return errDown }

// PurgeEntities implements [idem.OrderStore].
func (noEntities) PurgeEntities(context.Context, string, time.Duration, int) (int, error) {
	return 0, errDown
}

// PurgeEntities implements [idem.OrderStore].
func (otherwise) PurgeEntities(context.Context, string, time.Duration, int) (int, error) {
	return 0, nil
}

// entering is a store that grants every claim, and no entity: it keeps what was
// asked for.
type entering struct {
	idem.Store
	noEntities
	asked idem.EntityRequest
}

func (s *entering) Claim(_ context.Context, req idem.ClaimRequest) (idem.Record, error) {
	return idem.Record{
		Key: req.Key, Handler: req.Handler, Status: idem.StatusRunning, Attempt: 1, Owner: req.Owner,
		Fingerprint: req.Fingerprint, Remaining: req.Lease,
	}, nil
}

func (s *entering) Enter(_ context.Context, req idem.EntityRequest) (idem.Entity, error) {
	s.asked = req
	return idem.Entity{}, errDown
}

func (s *entering) Complete(context.Context, idem.Token, idem.Outcome) error { return errDown }

func (s *entering) Release(context.Context, idem.Token, idem.Release) error { return nil }

// ClaimTx implements [idem.TxStore].
func (s *entering) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	rec, err := s.Claim(ctx, req)
	return rec, enteringTx{s}, err
}

// Conflicted implements [idem.TxStore].
func (s *entering) Conflicted(error) bool { return false }

// enteringTx is a transaction in which nothing happens.
type enteringTx struct{ *entering }

func (enteringTx) Handle() any              { return nil }
func (enteringTx) Rollback(context.Context) {}

// checkOrder holds the fixture to what it promises of an ordered handler: all
// deliveries are of one entity, and a greater number is a newer version.
func (s Suite[R]) checkOrder(t testing.TB) {
	t.Helper()
	if !s.Spec.Ordered {
		return
	}
	first := s.place(t, 1)
	if again := s.place(t, 1); again.Entity != first.Entity || again.Version != first.Version {
		t.Fatalf("delivery 1 is of version %d of %q, then of version %d of %q: let %s depend on n alone, not on time or chance",
			first.Version, first.Entity, again.Version, again.Entity, s.args())
	}
	last := first
	for n := 2; n <= versions; n++ {
		next := s.place(t, n)
		if next.Entity != first.Entity {
			t.Fatalf("deliveries 1 and %d are of the entities %q and %q: let %s be of the same entity for every n%s", n, first.Entity, next.Entity, s.args(), s.renewed())
		}
		if next.Version <= last.Version {
			t.Fatalf("delivery %d is of version %d, and delivery %d of version %d: let %s have a greater version for a greater n%s",
				n-1, last.Version, n, next.Version, s.args(), s.renewed())
		}
		last = next
	}
}

// place is the entity and the version that the n-th delivery asks for.
func (s Suite[R]) place(t testing.TB, n int) idem.EntityRequest {
	t.Helper()
	store := &entering{}
	_, err := s.Deliver(context.Background(), store, n, func(context.Context) (R, error) { return sample[R](n), nil })
	var unfit *idem.KeyError
	if errors.As(err, &unfit) && unfit.Order {
		t.Fatalf("%v: let %s set it, the version to one that grows with n%s", err, s.args(), s.renewed())
	}
	if store.asked.Entity == "" {
		t.Fatalf("delivery %d asked for no entity, though its spec is Ordered: %v", n, err)
	}
	return store.asked
}
