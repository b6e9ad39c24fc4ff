package chaos

import (
	"context"
	"errors"
	"strings"

	idem "github.com/idemgen/idemgen/runtime"
)

// recorded is a store whose calls are noted at home.
type recorded struct {
	idem.TxStore
	home home
	// oneLock is for the whole file: who is told to come back because of it has
	// learnt nothing of the key.
	oneLock bool
}

func (r recorded) Claim(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
	number := r.home.begin(req.Key, Op{Kind: "claim", Owner: req.Owner})
	meet(ctx)
	rec, err := r.TxStore.Claim(ctx, req)
	r.home.end(number, answerOf(rec, req.Owner, err))
	return rec, err
}

func (r recorded) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	number := r.home.begin(token.Key, Op{"complete", token.Owner, token.Attempt, string(outcome.Result)})
	meet(ctx)
	err := r.TxStore.Complete(ctx, token, outcome)
	r.home.end(number, written(err))
	return err
}

func (r recorded) Release(ctx context.Context, token idem.Token, release idem.Release) error {
	number := r.home.begin(token.Key, Op{Kind: "release", Owner: token.Owner, Attempt: token.Attempt})
	err := r.TxStore.Release(ctx, token, release)
	r.home.end(number, written(err))
	return err
}

func (r recorded) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	number := r.home.begin(req.Key, Op{Kind: "claim", Owner: req.Owner})
	rec, tx, err := r.TxStore.ClaimTx(ctx, req)
	a := answerOf(rec, req.Owner, err)
	if r.oneLock && a.Kind == busy && rec.Attempt == 0 {
		a.Kind = no
	}
	r.home.end(number, a)
	if tx != nil {
		tx = recordedTx{tx, r.home}
	}
	return rec, tx, err
}

// recordedTx notes completions, the only calls that leave something.
type recordedTx struct {
	idem.Tx
	home home
}

func (r recordedTx) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	number := r.home.begin(token.Key, Op{"complete", token.Owner, token.Attempt, string(outcome.Result)})
	err := r.Tx.Complete(ctx, token, outcome)
	a := written(err)
	// Its errors say that nothing stays, but for one that says so.
	if a.Kind == unknown && !strings.Contains(err.Error(), "could not be found out") || a.Kind == lost {
		a.Kind = no
	}
	r.home.end(number, a)
	return err
}

func answerOf(rec idem.Record, owner idem.Owner, err error) Answer {
	switch {
	case errors.Is(err, idem.ErrLeaseLost):
		return Answer{Kind: lost}
	case err != nil:
		return Answer{Kind: unknown}
	case rec.HeldBy(owner):
		return Answer{Kind: granted, Attempt: rec.Attempt}
	case rec.Status == idem.StatusDone:
		return Answer{Kind: replayed, Result: string(rec.Result)}
	case rec.Status == idem.StatusRunning || rec.Status == idem.StatusWaiting:
		return Answer{Kind: busy}
	}
	return Answer{Kind: string(rec.Status)} // which nothing here leads to
}

func written(err error) Answer {
	switch {
	case err == nil:
		return Answer{Kind: ok}
	case errors.Is(err, idem.ErrLeaseLost):
		return Answer{Kind: lost}
	case errors.Is(err, context.Canceled):
		return Answer{Kind: cancelled}
	}
	return Answer{Kind: unknown}
}
