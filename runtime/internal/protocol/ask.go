package protocol

import (
	"context"
	"time"
)

// A claim that cannot reach the database gives up after some four seconds:
// the broker delivers again. A holder that cannot tell what came of its run
// goes on for as long as its context lets it, up to some minutes.
const (
	firstPause  = 10 * time.Millisecond
	longPause   = time.Second
	claimPauses = 10
	writePauses = 300
)

// asker asks again while it is open what became of a statement.
type asker struct {
	table   Table
	pauses  Backoff
	unknown bool // a statement before may have been committed
}

func newAsker(t Table, pauses int) asker {
	return asker{table: t, pauses: NewBackoff(firstPause, longPause, pauses)}
}

// again returns nil after a pause, or the error if asking again is no use.
func (a *asker) again(ctx context.Context, err error) error {
	switch a.table.Fate(err) {
	case Refused:
		return err
	case Unknown:
		a.unknown = true
	}
	if !a.pauses.Wait(ctx) {
		return err
	}
	return nil
}
