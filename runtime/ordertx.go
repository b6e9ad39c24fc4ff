package runtime

import (
	"context"
	"fmt"
	"time"
)

// The entities of a run that is held in a transaction are in it, too.

// Enter implements [Entities].
func (h *txHold) Enter(ctx context.Context, req EntityRequest) (Entity, error) {
	entities, err := h.inTx()
	if err != nil {
		return Entity{}, err
	}
	return entities.Enter(ctx, req)
}

// Apply implements [Entities].
func (h *txHold) Apply(ctx context.Context, token EntityToken, version int64) error {
	entities, err := h.inTx()
	if err != nil {
		return err
	}
	return entities.Apply(ctx, token, version)
}

// Leave implements [Entities]: the rollback does it, which comes next.
func (h *txHold) Leave(context.Context, EntityToken) error { return nil }

// Keep implements [Entities]: the row is locked, and nobody asks.
func (h *txHold) Keep(context.Context, EntityToken, time.Duration) error { return nil }

func (h *txHold) inTx() (Entities, error) {
	entities, ok := h.tx.(Entities)
	if !ok {
		return nil, fmt.Errorf("a %T keeps no order of entities", h.tx)
	}
	return entities, nil
}

// finish commits the outcome in the transaction of the claim, in which nothing else
// was done.
func (h *txHold) finish(ctx context.Context, token Token, outcome Outcome) error {
	return h.tx.Complete(ctx, token, outcome)
}

// turnAway leaves everything as it was before the claim.
func (h *txHold) turnAway(ctx context.Context, _ Token, _ Release) error {
	h.tx.Rollback(ctx)
	return nil
}
