package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/internal/detached"
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
	own      func(error) string // the program's text of an error
	req      ClaimRequest
	held     EntityToken
}

// entities is [Entities], and what else depends on whether the run is held in a
// transaction.
type entities interface {
	Entities
	// again reports whether an error is worth another claim, and waits before it.
	again(ctx context.Context, err error) bool
	// finish ends a run whose handler is not going to run.
	finish(ctx context.Context, token Token, outcome Outcome) error
	// turnAway gives such a run back.
	turnAway(ctx context.Context, token Token, release Release) error
}

// inOrder returns the store for a run of a spec: store itself, unless it is ordered.
func (s Spec) inOrder(store Store, order Order, own func(error) string, key Key) (Store, error) {
	if !s.Ordered {
		return store, nil
	}
	switch store := store.(type) {
	case *txHold:
		if _, ok := store.TxStore.(OrderStore); ok {
			return &orderHold{Store: store, entities: store, order: order, own: own}, nil
		}
	case OrderStore:
		return &orderHold{Store: store, entities: leasedEntities{store}, order: order, own: own}, nil
	}
	return nil, s.wrap("claim", key, fmt.Errorf("a %T keeps no order of entities; a batch, for one, does not", store))
}

// Claim implements [Store]. A run that finds its entity held is given back, and one
// that is too late for it is over.
func (h *orderHold) Claim(ctx context.Context, req ClaimRequest) (Record, error) {
	h.req = req
	for {
		rec, err := h.Store.Claim(ctx, req)
		if err != nil || !rec.HeldBy(req.Owner) {
			return rec, err
		}
		rec, err = h.enter(ctx, rec)
		if err == nil || !h.again(ctx, err) {
			return rec, err
		}
	}
}

// enter enters the entity for a run that is held.
func (h *orderHold) enter(ctx context.Context, rec Record) (Record, error) {
	entity, err := h.Enter(ctx, EntityRequest{
		Handler: rec.Handler, Entity: h.order.entity, Version: h.order.version,
		Key: rec.Key, Owner: rec.Owner, Lease: h.req.Lease,
	})
	switch {
	case err != nil:
		return Record{}, h.refused(ctx, rec, fmt.Errorf("entity %s: %w", h.order.entity, err))
	case entity.HeldBy(rec.Owner):
		h.held = entity.Token()
		return rec, nil
	case entity.Stale(h.order.version):
		return h.stale(ctx, rec, entity)
	}
	return h.busy(ctx, rec, entity)
}

// refused gives a run back that the database has let neither begin nor end, and
// returns why: the next delivery is not to wait for the end of a lease.
func (h *orderHold) refused(ctx context.Context, rec Record, err error) error {
	h.giveBack(ctx, rec.Token(), h.hold(textOf(err, h.own)))
	return err
}

// giveBack gives a run back. If it cannot, the lease bounds that.
func (h *orderHold) giveBack(ctx context.Context, token Token, release Release) {
	end := detached.New(ctx, turnAwayTimeout)
	defer end.End()
	_ = h.turnAway(end, token, release)
}

// stale ends a run that comes too late.
func (h *orderHold) stale(ctx context.Context, rec Record, entity Entity) (Record, error) {
	text := fmt.Sprintf("version %d is older than %d, the newest applied to %s", h.order.version, entity.Version, entity.Name)
	end := detached.New(ctx, completionTimeout)
	defer end.End()
	if err := h.finish(end, rec.Token(), Outcome{Status: StatusStale, Error: errorText(text)}); err != nil {
		return Record{}, h.refused(ctx, rec, err)
	}
	rec.Status, rec.Error, rec.Remaining = StatusStale, text, 0
	return rec, nil
}

// busy gives a run back that has to wait for another one of its entity. The holder
// may be done long before its lease is over.
func (h *orderHold) busy(ctx context.Context, rec Record, entity Entity) (Record, error) {
	end := detached.New(ctx, completionTimeout)
	defer end.End()
	wait := h.req.Lease / 10
	if entity.Remaining > 0 { // or it was free, and others were quicker, time and again
		wait = min(wait, entity.Remaining)
	}
	err := h.turnAway(end, rec.Token(), h.hold(busyText(rec.Error, entity)))
	if err != nil && !errors.Is(err, ErrLeaseLost) {
		return Record{}, err
	}
	rec.Status, rec.Remaining = StatusWaiting, wait
	return rec, nil
}

// busyText is the error of a run that waits for an entity: why it failed before, if
// it did, or else what it waits for.
func busyText(before string, entity Entity) string {
	waits := "entity " + entity.Name + " is "
	switch {
	case before != "" && !strings.HasPrefix(before, waits):
		return before
	case entity.Remaining > 0:
		return waits + "held by " + string(entity.Key)
	}
	return waits + "entered by others each time"
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
	if err := h.Apply(ctx, h.held, h.order.version); err != nil {
		return h.unapplied(ctx, token, fmt.Errorf("entity %s: %w", h.order.entity, err))
	}
	end := detached.New(ctx, completionTimeout)
	defer end.End()
	return h.Store.Complete(end, token, outcome)
}

// unapplied returns why the version of a run could not be applied. If the entity is
// lost, another version may run by now: this one is to be looked at again, and not
// when the lease of its key is over.
func (h *orderHold) unapplied(ctx context.Context, token Token, err error) error {
	if errors.Is(err, ErrLeaseLost) {
		h.giveBack(ctx, token, Release{Error: textOf(err, h.own), Attempts: h.req.Attempts})
	}
	return err
}

// Release implements [Store].
func (h *orderHold) Release(ctx context.Context, token Token, release Release) error {
	h.leave(ctx)
	return h.Store.Release(ctx, token, release)
}

// leave leaves the entity to others, in a part of the time only, since the run's
// end comes next. If it cannot, the lease bounds that.
func (h *orderHold) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, turnAwayTimeout)
	defer cancel()
	_ = h.Leave(ctx, h.held)
}

// Extend implements [Store]: one lease that is lost is as good as both.
func (h *orderHold) Extend(ctx context.Context, token Token, lease time.Duration) error {
	if err := h.Store.Extend(ctx, token, lease); err != nil {
		return err
	}
	return h.Keep(ctx, h.held, lease)
}

// leasedEntities are those of a store, for runs outside of transactions.
type leasedEntities struct{ OrderStore }

// again says no: the store has asked again by itself.
func (e leasedEntities) again(context.Context, error) bool { return false }

func (e leasedEntities) finish(ctx context.Context, token Token, outcome Outcome) error {
	return e.Complete(ctx, token, outcome)
}

func (e leasedEntities) turnAway(ctx context.Context, token Token, release Release) error {
	return e.Release(ctx, token, release)
}
