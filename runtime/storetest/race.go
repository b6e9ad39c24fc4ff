package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// OneWinner races so many claimers for one key, round after round: for a new
// key, and then for the same key released or expired. Exactly one of them
// holds it each time, and the others are told so.
func OneWinner(t *testing.T, open func(testing.TB) Harness, rounds, claimers int) {
	(&suite{TB: t, Harness: open(t)}).raceForKeys(rounds, claimers)
}

func oneWinner(s *suite) { s.raceForKeys(40, 8) }

func (s *suite) raceForKeys(rounds, claimers int) {
	for round := range rounds {
		key := idem.Key(fmt.Sprintf("notify:%d", round))
		held := s.raceForKey(key, claimers, 1)
		if round%2 == 0 {
			s.release(held.Token(), 0, "")
		} else {
			s.Advance(lease + tick)
		}
		s.raceForKey(key, claimers, 2)
	}
}

// raceForKey returns the run as its one winner holds it.
func (s *suite) raceForKey(key idem.Key, claimers, attempt int) idem.Record {
	s.Helper()
	var mu sync.Mutex
	var winners, losers []idem.Record
	s.together(claimers, func(int) {
		req := request(key)
		rec, err := s.Store.Claim(context.Background(), req)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
			s.Errorf("claim %q: %v", key, err)
		case rec.HeldBy(req.Owner):
			winners = append(winners, rec)
		default:
			losers = append(losers, rec)
		}
	})
	if len(winners) != 1 {
		s.Fatalf("%q: %d winners: %v", key, len(winners), winners)
	}
	won := winners[0]
	if won.Attempt != attempt || won.Remaining != lease {
		s.Errorf("%q: want attempt %d, got %s", key, attempt, show(won))
	}
	for _, rec := range losers {
		s.wantRecord("a loser's answer", rec, won)
	}
	return won
}

// sweepBeside lets the holder of a lease that is over complete, the sweeper
// sweep and another delivery claim, all at once.
func sweepBeside(s *suite) {
	for round := range 150 {
		key := idem.Key(fmt.Sprintf("notify:%d", round))
		token := s.hold(key).Token()
		s.Advance(lease + tick)
		req := request(key)
		var completed, claimed, swept error
		var rec idem.Record
		s.together(3, func(i int) {
			ctx := context.Background()
			switch i {
			case 0:
				completed = s.Store.Complete(ctx, token, idem.Outcome{Status: idem.StatusDone, Result: []byte("late")})
			case 1:
				_, swept = s.Store.Sweep(ctx, 9)
			case 2:
				rec, claimed = s.Store.Claim(ctx, req)
			}
		})
		s.must(errors.Join(swept, claimed))
		switch {
		case completed == nil && rec.Status == idem.StatusDone && string(rec.Result) == "late":
			s.wantRecord("completed in time", s.lookup(key), rec)
		case errors.Is(completed, idem.ErrLeaseLost) && rec.HeldBy(req.Owner) && rec.Attempt == 2:
			s.complete(rec.Token(), "other")
		default:
			s.Fatalf("completion: %v; claim: %s; row: %s", completed, show(rec), show(s.lookup(key)))
		}
	}
}

// together starts n calls at one moment and waits for them.
func (s *suite) together(n int, call func(i int)) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			call(i)
		})
	}
	close(start)
	wg.Wait()
}
