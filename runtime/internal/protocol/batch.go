package protocol

import (
	"context"

	idem "github.com/idemgen/idemgen/runtime"
)

// Batch returns the store for so many deliveries of a batch, whose claims and
// completions go to the table together, and what to call when one has ended.
func Batch(store idem.TxStore, t Many, deliveries int, current func(context.Context) error, explain func(error) error) (idem.Store, func()) {
	b := &batch{store, Gather(t, deliveries), current, explain}
	return b, b.gathering.Leave
}

type batch struct {
	idem.TxStore
	gathering *Gathering
	current   func(context.Context) error // that the table is of the right version
	explain   func(error) error
}

// Claim implements [idem.Store], together with the other deliveries' claims.
func (b *batch) Claim(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if err := b.current(ctx); err != nil {
		return idem.Record{}, err
	}
	rec, err := Claim(ctx, b.gathering, req)
	return rec, b.explain(err)
}

// Complete implements [idem.Store], together with the other deliveries'
// completions.
func (b *batch) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	return b.explain(Complete(ctx, b.gathering, token, outcome))
}
