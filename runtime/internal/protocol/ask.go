package protocol

import (
	"context"
	"time"
)

// A claim gives up some five seconds after its first error: the broker
// delivers again. A holder that cannot tell what came of its run goes on for
// as long as its context lets it, up to some minutes.
const (
	firstPause    = 10 * time.Millisecond
	longPause     = time.Second
	claimPatience = 5 * time.Second
	writePatience = 5 * time.Minute
)

// asker asks again while it is open what became of a statement, or while the
// database cannot do it.
type asker struct {
	fated                  // the table
	patience time.Duration // from the first error on
	pauses   *Backoff
	unknown  bool // a statement before may have been committed
}

// fated is a table, as far as it tells what its errors leave open.
type fated interface{ Fate(err error) Fate }

// again returns nil after a pause, or the error if asking again is no use.
func (a *asker) again(ctx context.Context, err error) error {
	switch a.Fate(err) {
	case Refused:
		return err
	case Unknown:
		a.unknown = true
	}
	if a.pauses == nil {
		a.pauses = NewBackoff(firstPause, longPause, a.patience)
	}
	if !a.pauses.Wait(ctx) {
		return err
	}
	return nil
}
