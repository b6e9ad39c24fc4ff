package runtime_test

import (
	"context"
	"errors"
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
	extended   func(context.Context, time.Duration) error
	token      idem.Token // of the last write
	holder     idem.Token
}

func (s *scripted) Claim(_ context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if s.claimed != nil {
		return s.claimed(req)
	}
	rec := running(req, req.Owner)
	s.holder = rec.Token()
	return rec, nil
}

func (s *scripted) Complete(ctx context.Context, token idem.Token, o idem.Outcome) error {
	s.token = token
	return s.completed(ctx, o)
}

func (s *scripted) Release(ctx context.Context, token idem.Token, r idem.Release) error {
	s.token = token
	return s.released(ctx, r)
}

func (s *scripted) Extend(ctx context.Context, token idem.Token, lease time.Duration) error {
	if token != s.holder {
		return errors.New("not the holder's token")
	}
	if s.extended == nil { // a run that a test left lying
		return nil
	}
	return s.extended(ctx, lease)
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
