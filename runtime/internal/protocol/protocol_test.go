package protocol_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// What stores do on a database that answers is in package storetest. Here it
// does not answer, or never agrees, on a clock that the test moves.

// table fails every statement with an error, and counts them.
type table struct {
	protocol.Table // for the methods that no test calls
	err            error
	fate           protocol.Fate
	asked          int
}

func (t *table) fail() (idem.Record, bool, error) {
	t.asked++
	return idem.Record{}, false, t.err
}

func (t *table) Insert(context.Context, idem.ClaimRequest) (idem.Record, bool, error) {
	return t.fail()
}

func (t *table) Find(context.Context, idem.Key) (idem.Record, bool, error) { return t.fail() }

func (t *table) Complete(context.Context, idem.Token, idem.Outcome) (bool, error) {
	_, _, err := t.fail()
	return false, err
}

func (t *table) Fate(error) protocol.Fate { return t.fate }

var errDown = errors.New("the database is down")

// opened is the table in a transaction.
type opened struct{ *table }

func (opened) Busy(error) bool              { return false }
func (opened) Commit(context.Context) error { return nil }
func (opened) Rollback(context.Context)     {}

func TestAskingEnds(t *testing.T) {
	claim := func(ctx context.Context, t *table) error {
		_, err := protocol.Claim(ctx, t, idem.ClaimRequest{Key: "notify:1"})
		return err
	}
	claimTx := func(ctx context.Context, t *table) error {
		opener := protocol.Opener{Table: t, Begin: func(idem.ClaimRequest) protocol.Tx { return opened{t} }}
		_, _, err := opener.Claim(ctx, idem.ClaimRequest{Key: "notify:1"})
		return err
	}
	complete := func(ctx context.Context, t *table) error {
		return protocol.Complete(ctx, t, idem.Token{}, idem.Outcome{Status: idem.StatusDone})
	}
	const day = 24 * time.Hour
	cases := []struct {
		name         string
		ask          func(context.Context, *table) error
		fate         protocol.Fate
		limit        time.Duration // of the context
		from, to     time.Duration // that asking goes on
		askedAtLeast int
		want         error
	}{
		{"refused claim", claim, protocol.Refused, day, 0, 0, 1, errDown},
		{"refused completion", complete, protocol.Refused, day, 0, 0, 1, errDown},
		// In order to give back what it may hold, it goes on for longer.
		{"claim, unknown", claim, protocol.Unknown, day, 7 * time.Second, 10 * time.Second, 12, errDown},
		{"claim, not now", claim, protocol.NotNow, day, 4 * time.Second, 6 * time.Second, 8, errDown},
		{"refused claim in a transaction", claimTx, protocol.Refused, day, 0, 0, 1, errDown},
		{"claim in a transaction, unknown", claimTx, protocol.Unknown, day, 4 * time.Second, 6 * time.Second, 8, errDown},
		{"claim in a transaction, not now", claimTx, protocol.NotNow, day, 4 * time.Second, 6 * time.Second, 8, errDown},
		{"completion, unknown", complete, protocol.Unknown, day, 30 * time.Second, 10 * time.Minute, 30, errDown},
		{"completion, not now", complete, protocol.NotNow, day, 30 * time.Second, 10 * time.Minute, 30, errDown},
		{"completion, unknown, and its context ends", complete, protocol.Unknown, 15 * time.Second, 15 * time.Second, 15 * time.Second, 15, errDown},
		{"claim, not now, and its context ends", claim, protocol.NotNow, time.Second, time.Second, time.Second, 4, context.DeadlineExceeded},
		{"claim, unknown, and its context ends", claim, protocol.Unknown, time.Second, 2 * time.Second, 5 * time.Second, 8, context.DeadlineExceeded},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				down := &table{err: errDown, fate: c.fate}
				start := time.Now()
				err := c.ask(ctx, down)
				took := time.Since(start)
				if !errors.Is(err, c.want) || !errors.Is(err, errDown) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if took < c.from || took > c.to || down.asked < c.askedAtLeast {
					t.Errorf("asked %d times in %v, want at least %d in %v to %v", down.asked, took, c.askedAtLeast, c.from, c.to)
				}
				if c.fate == protocol.Refused && down.asked != 1 {
					t.Errorf("asked %d times for what was refused", down.asked)
				}
			})
		})
	}
}

// Under a context that has ended nothing is sent, so nothing is open.
func TestClaimUnderAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	down := &table{err: errDown, fate: protocol.Unknown}
	if _, err := protocol.Claim(ctx, down, idem.ClaimRequest{Key: "notify:1"}); !errors.Is(err, context.Canceled) || down.asked > 0 {
		t.Errorf("got %v after %d statements", err, down.asked)
	}
}

// A row that is neither there nor to be inserted cannot be, for long.
func TestClaimDoesNotLoopForEver(t *testing.T) {
	odd := &table{}
	if _, err := protocol.Claim(t.Context(), odd, idem.ClaimRequest{Key: "notify:1"}); err == nil || odd.asked > 100 {
		t.Errorf("got %v after %d statements", err, odd.asked)
	}
}

func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		b := protocol.NewBackoff(10*time.Millisecond, 50*time.Millisecond, time.Minute)
		time.Sleep(time.Second) // what is done between the pauses counts
		for _, most := range []time.Duration{10, 20, 40, 50, 50} {
			start := time.Now()
			if !b.Wait(t.Context()) {
				t.Fatal("ended early")
			}
			if took := time.Since(start); took < most*time.Millisecond/2 || took > most*time.Millisecond {
				t.Errorf("paused for %v, want %v to %v", took, most*time.Millisecond/2, most*time.Millisecond)
			}
		}
		for b.Wait(t.Context()) {
		}
		if took := time.Since(begin); took < time.Minute || took > time.Minute+50*time.Millisecond {
			t.Errorf("ended after %v", took)
		}
	})
}
