package pgstore

import (
	"context"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// Together has each claim and completion sent as if it were one of many.
func Together() Option { return func(o *options) { o.always = true } }

// InsertAll and CompleteAll are statements for many.
func (s *Store) InsertAll(ctx context.Context, reqs ...idem.ClaimRequest) error {
	_, err := s.runs.InsertAll(ctx, reqs)
	return err
}

// CompleteAll is InsertAll's for completions.
func (s *Store) CompleteAll(ctx context.Context, ends ...protocol.End) error {
	_, err := s.runs.CompleteAll(ctx, ends)
	return err
}
