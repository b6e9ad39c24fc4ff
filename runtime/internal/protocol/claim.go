package protocol

import (
	"context"
	"errors"
	"fmt"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

const (
	// maxMisses bounds how often a claim starts over because the run was
	// another one by the time of its write. One miss is a lost race; many
	// in a row need a purge or an operator each.
	maxMisses = 16
	// giveBackTimeout bounds what a claim still does that has failed.
	giveBackTimeout = 3 * time.Second
)

var errUnsettled = errors.New("the key's run came and went every time; deliver again")

// Claim makes the caller the holder of a key, or returns the run as others
// left it.
//
// A claim that ends in an error, of its context or another, and may have been
// granted finds out, and gives back what it holds: nobody is left to work
// under it, and the key would be stuck for a lease.
func Claim(ctx context.Context, t Table, req idem.ClaimRequest) (idem.Record, error) {
	if err := ctx.Err(); err != nil {
		return idem.Record{}, err
	}
	c := newClaim(t, req)
	if err := c.settle(ctx, req.Redelivered); err != nil {
		return idem.Record{}, c.failed(ctx, err)
	}
	return c.run, nil
}

// failed gives back what the claim may have been granted, and returns its error.
func (c *claim) failed(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if c.unknown || c.granted {
		giveBack(context.WithoutCancel(ctx), c.table, c.req)
	}
	return err
}

// giveBack asks for the key once more, in the name of a claim that may have
// been granted, and releases it. To look would not do: the lost statement may
// still be on its way, or wait for a lock, where no look can see it. The
// attempt counts as a hold, since no handler ran.
//
// A key that only this makes is left without a fingerprint and a payload: nobody
// has worked under these values.
func giveBack(ctx context.Context, t Table, req idem.ClaimRequest) {
	ctx, cancel := context.WithTimeout(ctx, giveBackTimeout)
	defer cancel()
	c := newClaim(t, req)
	c.givingBack = true
	if err := c.settle(ctx, true); err != nil || !c.run.HeldBy(req.Owner) {
		return // nothing to give back, or the lease has to bound it
	}
	_ = Release(ctx, t, c.run.Token(), idem.Release{
		Error:    "the claim was given up before the handler ran",
		Attempts: req.Attempts,
		Hold:     true,
	})
}

// claim is one call of Claim. What it finds it keeps here rather than on the stack,
// which is a new one for each delivery of a batch, and dear to grow.
type claim struct {
	asker
	table      Table
	req        idem.ClaimRequest
	run        idem.Record // as it was last seen
	granted    bool        // but not settled yet
	givingBack bool        // what remains of a lease will do
	seen       idem.Record // to be taken or buried, but others were quicker
}

func newClaim(t Table, req idem.ClaimRequest) *claim {
	req.Lease = clamp(req.Lease)
	if len(req.Fingerprint) == 0 {
		req.Fingerprint = nil // which is how a database keeps none
	}
	return &claim{asker: asker{fated: t, patience: claimPatience}, table: t, req: req}
}

// settle goes on until the run is the caller's or somebody else's.
func (c *claim) settle(ctx context.Context, look bool) error {
	for misses := 0; misses < maxMisses; {
		settled, err := c.round(ctx, look)
		switch {
		case settled && err == nil:
			if c.granted && !c.run.HeldBy(c.req.Owner) {
				return idem.ErrLeaseLost // while it was to be extended
			}
			return nil
		case err == nil:
			misses++
			look = false
		case errors.Is(err, idem.ErrLeaseLost):
			return err
		default:
			if err := c.again(ctx, err); err != nil {
				return err
			}
			look = true // for the claim whose answer was lost
		}
	}
	return c.unsettled()
}

// unsettled ends a claim that has missed the run every time.
func (c *claim) unsettled() error {
	if c.seen.Status == "" {
		return errUnsettled
	}
	c.run = c.seen // somebody is at it, whose run it may be by now
	return nil
}

// round tries once: to insert the key, unless it is known to be there, and
// else to do what the run allows. It is not settled if the run changed
// meanwhile.
func (c *claim) round(ctx context.Context, look bool) (settled bool, err error) {
	c.run = idem.Record{}
	if !look {
		if inserted, err := c.insert(ctx); err != nil {
			return false, err
		} else if inserted {
			return c.hold(ctx)
		}
	}
	if c.run.Key == "" { // the run that is in the way is not known yet
		if found, err := c.find(ctx); err != nil || !found {
			return false, err
		}
	}
	switch step, attempt := decide(&c.run, &c.req); step {
	case hold:
		return c.hold(ctx)
	case take:
		return c.take(ctx, attempt)
	case bury:
		return c.bury(ctx, attempt)
	}
	return true, nil
}

func (c *claim) insert(ctx context.Context) (inserted bool, err error) {
	c.run, inserted, err = c.table.Insert(ctx, c.granting())
	return inserted, err
}

func (c *claim) find(ctx context.Context) (found bool, err error) {
	c.run, found, err = c.table.Find(ctx, c.req.Key)
	return found, err
}

func (c *claim) take(ctx context.Context, attempt int) (settled bool, err error) {
	c.seen = c.run
	taken, ok, err := c.table.Take(ctx, c.seen, c.granting(), attempt)
	if err != nil || !ok {
		return false, err
	}
	c.run = taken
	return c.hold(ctx)
}

func (c *claim) bury(ctx context.Context, attempt int) (settled bool, err error) {
	c.seen = c.run
	c.run, settled, err = c.table.Bury(ctx, c.seen, attempt)
	return settled, err
}

// granting is the request as a row that is granted has to keep it.
func (c *claim) granting() idem.ClaimRequest {
	req := c.req
	if c.givingBack {
		req.Fingerprint, req.Payload = nil, nil
	}
	return req
}

// hold gives a claim that waited its lease anew: the values of an INSERT are
// computed before it waits for a lock, so the lease began before the claim; and the
// process may have been paused since. A key that was lost meanwhile is not claimed
// again: one call takes one step.
func (c *claim) hold(ctx context.Context) (settled bool, err error) {
	if c.givingBack || !c.waited() {
		return true, nil
	}
	asked := time.Now()
	extended, err := c.table.Extend(ctx, c.run.Token(), c.req.Lease)
	if err == nil && !extended {
		return false, idem.ErrLeaseLost
	}
	c.granted = true
	c.run.Asked, c.run.Remaining = asked, c.req.Lease
	return err == nil, err
}

// waited reports whether so much of the lease has passed that the claim was not only
// sent.
func (c *claim) waited() bool {
	passed := c.req.Lease - c.run.Remaining
	if !c.run.Asked.IsZero() {
		passed += time.Since(c.run.Asked)
	}
	return passed >= c.req.Lease/20
}
