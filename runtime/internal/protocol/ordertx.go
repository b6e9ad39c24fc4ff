package protocol

import (
	"context"
	"fmt"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// InTx is the order of runs as one of them sees it that is held in a transaction:
// what it writes is committed with the run, or not at all.
type InTx struct {
	*Held
	Entities Entities // in the same transaction
}

// errEntityChanged says that the entity's row is not as the run has left it in
// its own transaction.
var errEntityChanged = fmt.Errorf("%w: the handler has changed the entity's row", idem.ErrLeaseLost)

// Enter is [Enter] in the transaction, which is over when the entity was locked
// for too long, or after an error.
func (h InTx) Enter(ctx context.Context, req idem.EntityRequest) (idem.Entity, error) {
	entity, err := newEntering(h.Entities, req).settleIn(ctx)
	if err == nil {
		return entity, nil
	}
	h.Rollback(ctx)
	if ctx.Err() == nil && h.Busy(err) {
		return idem.Entity{Handler: req.Handler, Name: req.Entity, Held: true, Remaining: h.opener.Wait}, nil
	}
	return idem.Entity{}, err
}

// Apply is [Apply] in the transaction.
func (h InTx) Apply(ctx context.Context, token idem.EntityToken, version int64) error {
	return changed(h.Entities.Apply(ctx, token, version))
}

// Leave is [Leave] in the transaction.
func (h InTx) Leave(ctx context.Context, token idem.EntityToken) error {
	return changed(h.Entities.Leave(ctx, token))
}

// Keep is [Keep] in the transaction.
func (h InTx) Keep(ctx context.Context, token idem.EntityToken, lease time.Duration) error {
	return changed(h.Entities.Keep(ctx, token, lease))
}

func changed(written bool, err error) error {
	if err == nil && !written {
		err = errEntityChanged
	}
	return err
}
