package protocol

import (
	"context"
	"fmt"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/detached"
)

// Complete ends the run that the token holds.
func Complete(ctx context.Context, t Table, token idem.Token, outcome idem.Outcome) error {
	if !finished(outcome.Status) {
		return fmt.Errorf("a run is completed as %s, %s or %s, not as %q", idem.StatusDone, idem.StatusFailed, idem.StatusStale, outcome.Status)
	}
	return settleRun(ctx, t, token.Key, func(ctx context.Context) (bool, error) {
		return t.Complete(ctx, token, outcome)
	}, func(rec idem.Record, _ bool) bool {
		// Finished rows keep their holder, so that it recognises its own
		// completion; the outcome that was stored first stands.
		return finished(rec.Status) && rec.Token() == token
	})
}

func finished(status idem.Status) bool {
	return status == idem.StatusDone || status == idem.StatusFailed || status == idem.StatusStale
}

// Release gives back the run that the token holds.
func Release(ctx context.Context, t Table, token idem.Token, rel idem.Release) error {
	return settleRun(ctx, t, token.Key, func(ctx context.Context) (bool, error) {
		return t.Release(ctx, token, rel)
	}, func(rec idem.Record, unknown bool) bool {
		// A released row has no owner: it can only be this call's doing if
		// an answer to this call was lost. A sweep or a burial, which end
		// the attempt as well, write another error.
		released := rec.Status == idem.StatusWaiting || rec.Status == idem.StatusDead
		return unknown && released && rec.Attempt == token.Attempt+1 && rec.Error == rel.Error
	})
}

// Extend makes the lease of the run that the token holds end anew.
func Extend(ctx context.Context, t Table, token idem.Token, lease time.Duration) error {
	return settleRun(ctx, t, token.Key, func(ctx context.Context) (bool, error) {
		return t.Extend(ctx, token, lease)
	}, func(idem.Record, bool) bool { return false })
}

// tryTimeout bounds one try of a write, so that a statement or a connection
// that hangs does not use up all the time that there is for asking again.
const tryTimeout = 5 * time.Second

// settleRun writes the run of a token. When the fence let nothing through, mine
// tells from the run as it stands, and from whether an answer was lost before,
// if the token wrote it all the same.
func settleRun(ctx context.Context, t Table, key idem.Key, write func(context.Context) (bool, error), mine func(idem.Record, bool) bool) error {
	return settle(ctx, t, write, func(ctx context.Context, unknown bool) (bool, error) {
		rec, found, err := t.Find(ctx, key)
		return found && mine(rec, unknown), err
	})
}

// settle writes a row until it is known what came of it. When the fence let
// nothing through, mine looks at the row.
func settle(ctx context.Context, t fated, write func(context.Context) (bool, error), mine func(ctx context.Context, unknown bool) (bool, error)) error {
	a := asker{fated: t, patience: writePatience}
	for {
		written, err := try(ctx, a.unknown, write, mine)
		switch {
		case err == nil && written:
			return nil
		case err == nil:
			return idem.ErrLeaseLost
		}
		if err := a.again(ctx, err); err != nil {
			return err
		}
	}
}

func try(ctx context.Context, unknown bool, write func(context.Context) (bool, error), mine func(context.Context, bool) (bool, error)) (bool, error) {
	ctx, cancel := detached.Within(ctx, tryTimeout)
	defer cancel()
	written, err := write(ctx)
	if written || err != nil {
		return written, err
	}
	// The look may go together with those of claims, which have no limit.
	ctx, cancel = context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	return mine(ctx, unknown)
}
