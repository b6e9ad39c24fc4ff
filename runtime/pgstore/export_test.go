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

// Kept returns statements whose plans are kept, of which those of find may find one
// run and those of findAll many, and how many pages the table has then.
func Kept() (find, findAll []string, pages, pagesForMany uint32) {
	kept := keep(newStatements("job_runs", "clock_timestamp()"), 1)
	return []string{kept.find, kept.complete}, []string{kept.findAll, kept.completeAll}, manyPages + 1, manyPagesForMany + 1
}
