package runtime_test

import (
	"context"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// scripted is a store that answers as it is told and keeps what it was asked.
// What stores do with it is tested on real ones; here it is the wrapper's
// side that is tested.
type scripted struct {
	idem.Store // panics on what a test does not expect
	claimed    func(idem.ClaimRequest) (idem.Record, error)
	completed  func(context.Context, idem.Outcome) error
	released   func(context.Context, idem.Release) error
	token      idem.Token
}

func (s *scripted) Claim(_ context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if s.claimed != nil {
		return s.claimed(req)
	}
	return running(req, req.Owner), nil
}

func (s *scripted) Complete(ctx context.Context, token idem.Token, o idem.Outcome) error {
	s.token = token
	return s.completed(ctx, o)
}

func (s *scripted) Release(ctx context.Context, token idem.Token, r idem.Release) error {
	s.token = token
	return s.released(ctx, r)
}

func running(req idem.ClaimRequest, owner idem.Owner) idem.Record {
	return idem.Record{
		Key: req.Key, Handler: req.Handler, Status: idem.StatusRunning,
		Attempt: 3, Owner: owner, Remaining: req.Lease,
	}
}

const key = idem.Key("notify:1")

var leased = idem.Spec{Handler: "notify", Lease: time.Minute, Attempts: 5}

// deliver is what a generated wrapper does.
func deliver[R any](ctx context.Context, store idem.Store, handle func(context.Context) (R, error)) (R, error) {
	var none R
	run, err := idem.Claim[R](ctx, store, leased, key)
	if err != nil {
		return none, err
	}
	if result, ok := run.Replay(); ok {
		return result, nil
	}
	defer run.Close()
	result, err := handle(run.Context())
	return run.Complete(result, err)
}

type receipt struct {
	ID string
	N  int64
}
