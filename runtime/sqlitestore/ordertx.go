package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var _ idem.Entities = heldTx{}

// inTx is the table of entities in the transaction of a run.
func (h heldTx) inTx() protocol.InTx {
	return protocol.InTx{Held: h.Held, Entities: h.entities.within(h.Tx.(*txRuns).tx)}
}

// Enter implements [idem.Entities] in two statements.
func (h heldTx) Enter(ctx context.Context, req idem.EntityRequest) (idem.Entity, error) {
	if err := h.entities.within(h.Tx.(*txRuns).tx).current(ctx); err != nil {
		h.Rollback(ctx)
		return idem.Entity{}, err
	}
	entity, err := h.inTx().Enter(ctx, req)
	return entity, h.entities.explain(err)
}

// Apply implements [idem.Entities] in one statement.
func (h heldTx) Apply(ctx context.Context, token idem.EntityToken, version int64) error {
	err := h.inTx().Apply(ctx, token, version)
	if errors.Is(err, sql.ErrTxDone) {
		err = errEnded
	}
	return err
}

// Leave implements [idem.Entities] in one statement.
func (h heldTx) Leave(ctx context.Context, token idem.EntityToken) error {
	return h.inTx().Leave(ctx, token)
}

// Keep implements [idem.Entities] in one statement.
func (h heldTx) Keep(ctx context.Context, token idem.EntityToken, lease time.Duration) error {
	return h.inTx().Keep(ctx, token, lease)
}
