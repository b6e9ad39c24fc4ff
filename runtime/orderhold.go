package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// turnAwayTimeout bounds the giving back of a run after an error.
const turnAwayTimeout = 3 * time.Second

// orderHold is the Store of one run that takes its turn at an entity: whoever
// holds the run holds the entity, too. It enters after the claim, and applies the
// version before the run is done, so that a worker which dies in between leaves a
// version that is run again, and not one that is taken for stale.
type orderHold struct {
	Store    // of the run alone
	entities // of the same store, or of the run's transaction
	order    Order
	req      ClaimRequest
	held     EntityToken
}

// entities is [Entities], and what else depends on whether the run is held in a
// transaction.
type entities interface {
	Entities
	// conflicted reports whether an error is worth another claim.
	conflicted(err error) bool
	// finish ends a run whose handler is not going to run.
	finish(ctx context.Context, token Token, outcome Outcome) error
	// turnAway gives such a run back.
	turnAway(ctx context.Context, token Token, release Release) error
}

// inOrder returns the store for a run of a spec: store itself, unless it is ordered.
func (s Spec) inOrder(store Store, order Order, key Key) (Store, error) {
	if !s.Ordered {
		return store, nil
	}
	switch store := store.(type) {
	case *txHold:
		if _, ok := store.TxStore.(OrderStore); ok {
			return &orderHold{Store: store, entities: store, order: order}, nil
		}
	case OrderStore:
		return &orderHold{Store: store, entities: leasedEntities{store}, order: order}, nil
	}
	return nil, s.wrap("claim", key, fmt.Errorf("a %T keeps no order of entities; a batch, for one, does not", store))
}

// Claim implements [Store]. A run that finds its entity held is given back, and one
// that is too late for it is over.
func (h *orderHold) Claim(ctx context.Context, req ClaimRequest) (Record, error) {
	h.req = req
	for n := 1; ; n++ {
		rec, err := h.Store.Claim(ctx, req)
		if err != nil || !rec.HeldBy(req.Owner) {
			return rec, err
		}
		rec, err = h.enter(ctx, rec)
		if err == nil || n == maxConflicts || !h.conflicted(err) || ctx.Err() != nil {
			return rec, err
		}
		pauseAfter(n)
	}
}

// pauseAfter waits before work that conflicted n times is done again.
func pauseAfter(n int) {
	pause := conflictPause << n
	time.Sleep(pause/2 + rand.N(pause))
}

// enter enters the entity for a run that is held.
func (h *orderHold) enter(ctx context.Context, rec Record) (Record, error) {
	entity, err := h.Enter(ctx, EntityRequest{
		Handler: rec.Handler, Entity: h.order.entity, Version: h.order.version,
		Key: rec.Key, Owner: rec.Owner, Lease: h.req.Lease,
	})
	switch {
	case err != nil:
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnAwayTimeout)
		defer cancel()
		_ = h.turnAway(ctx, rec.Token(), h.hold("the entity could not be entered")) // or the lease bounds it
		return Record{}, fmt.Errorf("entity %s: %w", h.order.entity, err)
	case entity.HeldBy(rec.Owner):
		h.held = entity.Token()
		return rec, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), completionTimeout)
	defer cancel()
	if entity.Stale(h.order.version) {
		return h.stale(ctx, rec, entity)
	}
	return h.busy(ctx, rec, entity)
}

// stale ends a run that comes too late.
func (h *orderHold) stale(ctx context.Context, rec Record, entity Entity) (Record, error) {
	text := fmt.Sprintf("version %d is older than %d, the newest applied to %s", h.order.version, entity.Version, entity.Name)
	if err := h.finish(ctx, rec.Token(), Outcome{Status: StatusStale, Error: text}); err != nil {
		return Record{}, err
	}
	rec.Status, rec.Error, rec.Remaining = StatusStale, text, 0
	return rec, nil
}

// busy gives a run back that has to wait for another one of its entity. The holder
// may be done long before its lease is over.
func (h *orderHold) busy(ctx context.Context, rec Record, entity Entity) (Record, error) {
	err := h.turnAway(ctx, rec.Token(), h.hold(fmt.Sprintf("entity %s is held by %s", entity.Name, entity.Key)))
	if err != nil && !errors.Is(err, ErrLeaseLost) {
		return Record{}, err
	}
	rec.Status, rec.Remaining = StatusWaiting, min(max(0, entity.Remaining), h.req.Lease/10)
	return rec, nil
}

func (h *orderHold) hold(text string) Release {
	return Release{Error: errorText(text), Attempts: h.req.Attempts, Hold: true}
}

// Complete implements [Store]. Work that has failed applies nothing.
func (h *orderHold) Complete(ctx context.Context, token Token, outcome Outcome) error {
	if outcome.Status != StatusDone {
		h.leave(ctx)
		return h.Store.Complete(ctx, token, outcome)
	}
	err := h.Apply(ctx, h.held, h.order.version)
	if err == nil {
		return h.Store.Complete(ctx, token, outcome)
	}
	err = fmt.Errorf("entity %s: %w", h.order.entity, err)
	if errors.Is(err, ErrLeaseLost) {
		// Another version may run by now. This one is to be looked at again,
		// and not when the lease of its key is over.
		_ = h.turnAway(ctx, token, Release{Error: errorText(err.Error()), Attempts: h.req.Attempts})
	}
	return err
}

// Release implements [Store].
func (h *orderHold) Release(ctx context.Context, token Token, release Release) error {
	h.leave(ctx)
	return h.Store.Release(ctx, token, release)
}

// leave leaves the entity to others. If it cannot, the lease bounds that.
func (h *orderHold) leave(ctx context.Context) { _ = h.Leave(ctx, h.held) }

// Extend implements [Store]: one lease that is lost is as good as both.
func (h *orderHold) Extend(ctx context.Context, token Token, lease time.Duration) error {
	if err := h.Store.Extend(ctx, token, lease); err != nil {
		return err
	}
	return h.Keep(ctx, h.held, lease)
}

// leasedEntities are those of a store, for runs outside of transactions.
type leasedEntities struct{ OrderStore }

// conflicted says no: the store has asked again by itself.
func (e leasedEntities) conflicted(error) bool { return false }

func (e leasedEntities) finish(ctx context.Context, token Token, outcome Outcome) error {
	return e.Complete(ctx, token, outcome)
}

func (e leasedEntities) turnAway(ctx context.Context, token Token, release Release) error {
	return e.Release(ctx, token, release)
}
