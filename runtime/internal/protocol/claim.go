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
	rec, err := c.settle(ctx, req.Redelivered)
	if err == nil {
		return rec, nil
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if c.unknown || c.granted {
		giveBack(context.WithoutCancel(ctx), t, req)
	}
	return idem.Record{}, err
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
	rec, err := c.settle(ctx, true)
	if err != nil || !rec.HeldBy(req.Owner) {
		return // nothing to give back, or the lease has to bound it
	}
	_ = Release(ctx, t, rec.Token(), idem.Release{
		Error:    "the claim was given up before the handler ran",
		Attempts: req.Attempts,
		Hold:     true,
	})
}

type claim struct {
	asker
	table      Table
	req        idem.ClaimRequest
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
func (c *claim) settle(ctx context.Context, look bool) (idem.Record, error) {
	for misses := 0; misses < maxMisses; {
		rec, settled, err := c.round(ctx, look)
		switch {
		case settled && err == nil:
			return rec, nil
		case err == nil:
			misses++
			look = false
		default:
			if err := c.again(ctx, err); err != nil {
				return idem.Record{}, err
			}
			look = true // for the claim whose answer was lost
		}
	}
	if c.seen.Status != "" { // somebody is at it, whose run it may be by now
		return c.seen, nil
	}
	return idem.Record{}, errUnsettled
}

// round tries once: to insert the key, unless it is known to be there, and
// else to do what the run allows. It is not settled if the run changed
// meanwhile.
func (c *claim) round(ctx context.Context, look bool) (idem.Record, bool, error) {
	var rec idem.Record
	if !look {
		inserted, err := false, error(nil)
		if rec, inserted, err = c.table.Insert(ctx, c.granting()); err != nil {
			return rec, false, err
		}
		if inserted {
			return c.hold(ctx, rec)
		}
	}
	if rec.Key == "" { // the run that is in the way is not known yet
		found, err := false, error(nil)
		if rec, found, err = c.table.Find(ctx, c.req.Key); err != nil || !found {
			return rec, false, err
		}
	}
	step, attempt := decide(rec, c.req)
	switch step {
	case hold:
		return c.hold(ctx, rec)
	case take, bury:
		c.seen = rec
	}
	switch step {
	case take:
		taken, ok, err := c.table.Take(ctx, rec, c.granting(), attempt)
		if err != nil || !ok {
			return taken, false, err
		}
		return c.hold(ctx, taken)
	case bury:
		return c.table.Bury(ctx, rec, attempt)
	}
	return rec, true, nil
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
// computed before it waits for a lock, so the lease began before the claim.
func (c *claim) hold(ctx context.Context, rec idem.Record) (idem.Record, bool, error) {
	if c.givingBack || rec.Remaining > c.req.Lease-c.req.Lease/20 {
		return rec, true, nil
	}
	asked := time.Now()
	extended, err := c.table.Extend(ctx, rec.Token(), c.req.Lease)
	c.granted = extended || err != nil
	rec.Asked, rec.Remaining = asked, c.req.Lease
	return rec, extended, err
}
