package sqlitestore

import (
	"context"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var _ protocol.Many = runs{}

// InsertAll implements [protocol.Many].
func (r runs) InsertAll(ctx context.Context, reqs []idem.ClaimRequest) ([]protocol.Found, error) {
	found := make([]protocol.Found, len(reqs))
	err := r.together(ctx, func(r runs) (err error) {
		for i, req := range reqs {
			f := &found[i]
			if f.Record, f.OK, err = r.Insert(ctx, req); err == nil && !f.OK {
				f.Record, _, err = r.Find(ctx, req.Key)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// FindAll implements [protocol.Many].
func (r runs) FindAll(ctx context.Context, keys []idem.Key) ([]protocol.Found, error) {
	found := make([]protocol.Found, len(keys))
	for i, key := range keys {
		var err error
		if found[i].Record, found[i].OK, err = r.Find(ctx, key); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// CompleteAll implements [protocol.Many].
func (r runs) CompleteAll(ctx context.Context, ends []protocol.End) ([]bool, error) {
	done := make([]bool, len(ends))
	err := r.together(ctx, func(r runs) (err error) {
		for i, e := range ends {
			if done[i], err = r.Complete(ctx, e.Token, e.Outcome); err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

// together runs statements in one transaction, which writes to the disk once. It
// has the write lock from its beginning on.
func (r runs) together(ctx context.Context, statements func(runs) error) error {
	return r.do(ctx, func(conn querier) (err error) {
		if _, err = conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // an error says that it has ended
			}
		}()
		in := r
		in.among = conn
		if err = statements(in); err != nil {
			return err
		}
		_, err = conn.ExecContext(ctx, "COMMIT")
		return err
	})
}
