package protocol

import (
	"context"
	"errors"
	"fmt"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// Entities is the table of entities in one database. Every method but Fate is
// one statement that touches one row, by its handler and name. The bool says
// whether the row was there and as the statement's fence wants it.
type Entities interface {
	// Look reads an entity.
	Look(ctx context.Context, handler, entity string) (idem.Entity, bool, error)
	// Place makes the request's owner the holder of an entity that has no row.
	Place(ctx context.Context, req idem.EntityRequest) (idem.Entity, bool, error)
	// Enter makes the request's owner the holder, under the next lease, of an
	// entity that nobody holds, or not any longer, and that still has the
	// version, the owner and the lease that were seen.
	Enter(ctx context.Context, seen idem.Entity, req idem.EntityRequest) (idem.Entity, bool, error)
	// Apply, Leave and Keep write the entity that the token holds.
	Apply(ctx context.Context, token idem.EntityToken, version int64) (bool, error)
	Leave(ctx context.Context, token idem.EntityToken) (bool, error)
	Keep(ctx context.Context, token idem.EntityToken, lease time.Duration) (bool, error)
	// Fate tells what an error of the methods above leaves open.
	Fate(err error) Fate
}

var errEntityUnsettled = errors.New("the entity came and went every time; deliver again")

// Enter makes the caller the holder of an entity, or returns the entity as others
// left it. As [Claim], it leaves nothing behind when it ends in an error.
func Enter(ctx context.Context, t Entities, req idem.EntityRequest) (idem.Entity, error) {
	if err := ctx.Err(); err != nil {
		return idem.Entity{}, err
	}
	e := newEntering(t, req)
	entity, err := e.settle(ctx)
	if err == nil {
		return entity, nil
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if e.unknown || e.granted {
		leaveAfter(context.WithoutCancel(ctx), t, req)
	}
	return idem.Entity{}, err
}

// leaveAfter enters once more, in the name of a call that may have entered, and
// leaves. That is a lease more, so that what is on its way still finds another
// one than it has seen.
func leaveAfter(ctx context.Context, t Entities, req idem.EntityRequest) {
	ctx, cancel := context.WithTimeout(ctx, giveBackTimeout)
	defer cancel()
	entity, err := newEntering(t, req).settle(ctx)
	if err == nil && entity.HeldBy(req.Owner) {
		_ = Leave(ctx, t, entity.Token()) // what it leaves, the lease bounds
	}
}

// entering is one call of Enter.
type entering struct {
	asker
	entities Entities
	req      idem.EntityRequest
	granted  bool        // and perhaps lost again
	seen     idem.Entity // that could be entered, but others were quicker
}

func newEntering(t Entities, req idem.EntityRequest) *entering {
	req.Lease = clamp(req.Lease)
	return &entering{asker: asker{fated: t, patience: claimPatience}, entities: t, req: req}
}

// settle goes on until the entity is the caller's or somebody else's.
func (e *entering) settle(ctx context.Context) (idem.Entity, error) {
	for misses := 0; misses < maxMisses; {
		entity, settled, err := e.round(ctx)
		switch {
		case settled && err == nil:
			return entity, nil
		case err == nil:
			misses++
		default:
			if err := e.again(ctx, err); err != nil {
				return idem.Entity{}, err
			}
		}
	}
	return e.unsettled()
}

// settleIn does so in a transaction, where no error can be asked again after.
func (e *entering) settleIn(ctx context.Context) (idem.Entity, error) {
	for range maxMisses {
		entity, settled, err := e.round(ctx)
		if settled || err != nil {
			return entity, err
		}
	}
	return e.unsettled()
}

func (e *entering) unsettled() (idem.Entity, error) {
	if e.seen.Name != "" {
		return e.seen, nil
	}
	return idem.Entity{}, errEntityUnsettled
}

// round looks, and then does what the entity allows. It looks first, since most
// events are about an entity that is there: whoever finds it held, or at a newer
// version, has written nothing.
func (e *entering) round(ctx context.Context) (idem.Entity, bool, error) {
	seen, found, err := e.entities.Look(ctx, e.req.Handler, e.req.Entity)
	if err != nil {
		return seen, false, err
	}
	entity, entered := seen, false
	switch {
	case !found:
		entity, entered, err = e.entities.Place(ctx, e.req)
	case seen.HeldBy(e.req.Owner): // its answer was lost
		entered = true
	case seen.Stale(e.req.Version), seen.Held && seen.Remaining > 0:
		return seen, true, nil
	default:
		e.seen = seen
		entity, entered, err = e.entities.Enter(ctx, seen, e.req)
	}
	if !entered || err != nil {
		return entity, false, err
	}
	return e.hold(ctx, entity)
}

// hold gives a call that waited its lease anew, as that of a claim. One that has lost
// the entity meanwhile looks again, though: it is told who holds it, and no result.
func (e *entering) hold(ctx context.Context, entity idem.Entity) (idem.Entity, bool, error) {
	if entity.Remaining > e.req.Lease-e.req.Lease/20 {
		return entity, true, nil
	}
	asked := time.Now()
	kept, err := e.entities.Keep(ctx, entity.Token(), e.req.Lease)
	e.granted = kept || err != nil
	entity.Asked, entity.Remaining = asked, e.req.Lease
	return entity, kept, err
}

// Apply makes a version the newest of the entity that the token holds, and ends
// its lease.
func Apply(ctx context.Context, t Entities, token idem.EntityToken, version int64) error {
	return settleEntity(ctx, t, token, func(ctx context.Context) (bool, error) {
		return t.Apply(ctx, token, version)
	}, func(entity idem.Entity) bool {
		// What was applied keeps its holder, so that it recognises its own doing.
		return !entity.Held && entity.Applied && entity.Version == version
	})
}

// Leave ends the lease of the entity that the token holds.
func Leave(ctx context.Context, t Entities, token idem.EntityToken) error {
	return settleEntity(ctx, t, token, func(ctx context.Context) (bool, error) {
		return t.Leave(ctx, token)
	}, func(entity idem.Entity) bool { return !entity.Held })
}

// Keep makes the lease of the entity that the token holds end anew.
func Keep(ctx context.Context, t Entities, token idem.EntityToken, lease time.Duration) error {
	return settleEntity(ctx, t, token, func(ctx context.Context) (bool, error) {
		return t.Keep(ctx, token, lease)
	}, func(idem.Entity) bool { return false })
}

// settleEntity writes the entity of a token until it is known what came of it.
// When the fence let nothing through, mine tells from the entity, if its last
// lease is still the token's, whether the token wrote it all the same.
func settleEntity(ctx context.Context, t Entities, token idem.EntityToken, write func(context.Context) (bool, error), mine func(idem.Entity) bool) error {
	return settle(ctx, t, write, func(ctx context.Context, _ bool) (bool, error) {
		entity, found, err := t.Look(ctx, token.Handler, token.Entity)
		return found && entity.Token() == token && mine(entity), err
	})
}
