package protocol

import (
	"context"
	"errors"
	"fmt"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// Tx is the table of runs in a transaction of its own, which its first
// statement begins: an insert. A row that it has written is locked until it
// ends.
type Tx interface {
	Table
	// Busy reports whether an error says that a lock was not to be had in time.
	Busy(err error) bool
	// Commit ends the transaction.
	Commit(ctx context.Context) error
	// Rollback ends it unless it has ended, or its connection.
	Rollback(ctx context.Context)
}

// ErrNotCommitted marks the error of a commit that was lost and turned out not
// to have been made.
var ErrNotCommitted = errors.New("the transaction was not committed")

// resolvePatience is how long a lost commit is asked for.
const resolvePatience = 20 * time.Second

// Opener opens transactions for claims.
type Opener struct {
	Table Table // outside of any
	Begin func(idem.ClaimRequest) Tx
	Wait  time.Duration // for a lock
}

// Held is a run that is held in a transaction.
type Held struct {
	Tx
	opener Opener
	req    idem.ClaimRequest
}

// Claim makes the caller the holder of a key in a transaction. If it is not, the
// Held is nil, and no transaction is open. Whatever goes wrong, the transaction
// leaves nothing, so the claim is made again in another one.
//
// A key that another transaction has locked for longer than it can be waited for
// is told as one whose lease has as long to go.
func (o Opener) Claim(ctx context.Context, req idem.ClaimRequest) (idem.Record, *Held, error) {
	if err := ctx.Err(); err != nil {
		return idem.Record{}, nil, err
	}
	if req.Redelivered {
		// A duplicate of a finished run is answered without a transaction.
		rec, found, err := o.Table.Find(ctx, req.Key)
		if step, _ := decide(&rec, &req); err == nil && found && step == answer {
			return rec, nil, nil
		}
	}
	a := asker{fated: o.Table, patience: claimPatience}
	for {
		tx := o.Begin(req)
		rec, err := claimIn(ctx, tx, req)
		switch {
		case err == nil && rec.HeldBy(req.Owner):
			return rec, &Held{tx, o, req}, nil
		case err == nil:
			return rec, nil, nil
		case ctx.Err() == nil && tx.Busy(err):
			return idem.Record{Key: req.Key, Handler: req.Handler, Status: idem.StatusRunning, Remaining: o.Wait}, nil, nil
		}
		if err := a.again(ctx, err); err != nil {
			if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
				err = fmt.Errorf("%w: %w", ended, err)
			}
			return idem.Record{}, nil, err
		}
	}
}

// claimIn leaves the transaction open if the key is the caller's in it.
func claimIn(ctx context.Context, tx Tx, req idem.ClaimRequest) (idem.Record, error) {
	c := newClaim(tx, req)
	err := c.settleIn(ctx)
	if err == nil && c.run.HeldBy(req.Owner) {
		return c.run, nil
	}
	if err == nil && c.run.Status == idem.StatusDead {
		err = tx.Commit(ctx) // it may have been buried just now
	}
	tx.Rollback(ctx)
	return c.run, err
}

// settleIn is settle in a transaction, where no error can be asked again after.
func (c *claim) settleIn(ctx context.Context) error {
	for range maxMisses {
		if settled, err := c.round(ctx, false); settled || err != nil {
			return err
		}
	}
	return c.unsettled()
}

// Complete ends the run and commits.
func (h *Held) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	return h.end(ctx, func() (bool, error) { return h.Tx.Complete(ctx, token, outcome) },
		func(rec idem.Record) bool { return rec.Token() == token && rec.Status == outcome.Status })
}

// Release gives the run back and commits.
func (h *Held) Release(ctx context.Context, token idem.Token, release idem.Release) error {
	return h.end(ctx, func() (bool, error) { return h.Tx.Release(ctx, token, release) },
		func(rec idem.Record) bool { return rec.Attempt > token.Attempt })
}

// end writes and commits. After an error nothing of the transaction stays,
// unless it could not be found out what came of its commit. How a run looks
// that was committed, mine tells.
func (h *Held) end(ctx context.Context, write func() (bool, error), mine func(idem.Record) bool) error {
	defer h.Rollback(ctx)
	written, err := write()
	switch {
	case err != nil:
		return err
	case !written:
		return fmt.Errorf("%w: the handler has changed the run's row", idem.ErrLeaseLost)
	}
	if err = h.Commit(ctx); err != nil && h.Fate(err) == Unknown {
		return h.resolve(ctx, err, mine)
	}
	return err
}

// resolve finds out what came of a commit whose answer was lost. To look would
// not do: the commit may be on its way still. A claim waits for the
// transaction's lock, and if it is granted what was lost has left nothing.
func (h *Held) resolve(ctx context.Context, lost error, mine func(idem.Record) bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resolvePatience)
	defer cancel()
	h.Rollback(ctx)
	h.req.Redelivered = false
	pauses := NewBackoff(firstPause, longPause, resolvePatience)
	for {
		rec, tx, err := h.opener.Claim(ctx, h.req)
		if tx != nil {
			tx.Rollback(ctx)
		}
		locked := rec.Status == idem.StatusRunning && rec.Attempt == 0
		switch {
		case err == nil && mine(rec):
			return nil
		case err == nil && !locked:
			return fmt.Errorf("%w: %w", ErrNotCommitted, lost)
		}
		if !pauses.Wait(ctx) {
			return fmt.Errorf("it could not be found out whether the transaction was committed: %w", lost)
		}
	}
}
