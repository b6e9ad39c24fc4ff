package sqlitestore

import (
	"context"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var _ idem.Batcher = (*Store)(nil)

// Batch implements [idem.Batcher].
func (s *Store) Batch(deliveries int) (idem.Store, func()) {
	g := protocol.Gather(s.runs, deliveries)
	return batch{s, g}, g.Leave
}

// batch is the store for the deliveries of a batch.
type batch struct {
	*Store
	gathering *protocol.Gathering
}

// Claim implements [idem.Store], together with the other deliveries' claims.
func (b batch) Claim(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if err := b.current(ctx); err != nil {
		return idem.Record{}, err
	}
	rec, err := protocol.Claim(ctx, b.gathering, req)
	return rec, b.runs.explain(err)
}

// Complete implements [idem.Store], together with the other deliveries'
// completions.
func (b batch) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	return b.runs.explain(protocol.Complete(ctx, b.gathering, token, outcome))
}
