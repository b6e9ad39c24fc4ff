package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

func newKey(s *suite) {
	req := request("notify:1")
	want := idem.Record{
		Key: "notify:1", Handler: handler, Status: idem.StatusRunning,
		Attempt: 1, Owner: req.Owner, Remaining: lease,
	}
	s.wantRecord("claim", s.ask(req), want)
	s.wantRecord("lookup", s.lookup("notify:1"), want)

	odd := request("notify:2") // finer than what the database counts
	odd.Lease = 1500*time.Microsecond + 1
	s.ask(odd)
	if rec := s.lookup("notify:2"); rec.Remaining < odd.Lease {
		s.Errorf("a lease of %v: got %v", odd.Lease, rec.Remaining)
	}

	longest := request("notify:3") // past what a column may count
	longest.Lease = math.MaxInt64
	held := s.ask(longest)
	s.wantInForce("the longest lease", held)
	s.wantRecord("asking again", s.ask(longest), held)
}

// wantInForce checks that a run is held, and will be for longer than anybody
// can wait.
func (s *suite) wantInForce(what string, held idem.Record) {
	s.Helper()
	if held.Remaining < years {
		s.Errorf("%s: %s", what, show(held))
	}
	s.wantRecord(what, s.claim(held.Key), held)
}

func inForce(s *suite) {
	held := s.hold("notify:1")
	for _, passed := range []time.Duration{0, lease - tick} {
		s.Advance(passed)
		held.Remaining -= passed
		s.wantRecord(fmt.Sprintf("claim by another after %v", passed), s.claim("notify:1"), held)
	}
	s.wantRecord("lookup", s.lookup("notify:1"), held)

	short := request("notify:1")
	short.Lease = time.Second
	s.wantRecord("claim with a shorter lease", s.ask(short), held)
}

func distinctKeys(s *suite) {
	long := strings.Repeat("x", idem.MaxKeyBytes-1)
	keys := []idem.Key{
		"Order-A", "order-a", "order-a ", " order-a", "order-a\t", "order-á", "order-a\u0301",
		"order-ß", "order-ss", "order-%", "order-_", "order-\U0001F4E6", "1", "01", "1.0",
		idem.Key(long + "a"), idem.Key(long + "b"),
	}
	for i, key := range keys {
		s.complete(s.hold(key).Token(), fmt.Sprint(i))
	}
	for i, key := range keys {
		if rec := s.claim(key); string(rec.Result) != fmt.Sprint(i) || rec.Key != key {
			s.Errorf("%q got the run of another key: %s", key, show(rec))
		}
	}
}

func ownClaim(s *suite) {
	req := request("notify:1")
	want := s.ask(req)
	for _, passed := range []time.Duration{0, lease / 2, 2 * lease} {
		s.Advance(passed)
		s.wantRecord(fmt.Sprintf("asking again after %v", passed), s.ask(req), want)
	}
	s.wantRecord("lookup", s.lookup("notify:1"), want)

	// Once another has followed, the old owner is a stranger.
	s.Advance(lease)
	follower := s.hold("notify:1")
	s.wantRecord("asking again after a takeover", s.ask(req), follower)

	s.complete(follower.Token(), "result")
	req.Owner = follower.Owner
	if rec := s.ask(req); rec.Status != idem.StatusDone {
		s.Errorf("its holder asks for a finished run: got %s", show(rec))
	}
}

func takeover(s *suite) {
	first := s.hold("notify:1")
	s.Advance(lease - tick)
	if rec := s.claim("notify:1"); rec.Owner != first.Owner || rec.Remaining != tick {
		s.Errorf("1 ms before the end of the lease: got %s", show(rec))
	}
	s.Advance(2 * tick)
	req := request("notify:1")
	req.Lease = 2 * lease
	s.wantRecord("1 ms after the end of the lease", s.ask(req), idem.Record{
		Key: "notify:1", Handler: handler, Status: idem.StatusRunning, Attempt: 2,
		Owner: req.Owner, Error: "the lease of attempt 1 ran out", Remaining: 2 * lease,
	})
}

func waitingDue(s *suite) {
	const delay = 10 * lease // may be longer than any lease
	s.release(s.hold("notify:1").Token(), delay, "the provider is down")
	waiting := idem.Record{
		Key: "notify:1", Handler: handler, Status: idem.StatusWaiting,
		Attempt: 2, Error: "the provider is down", Remaining: delay,
	}
	s.wantRecord("at once", s.claim("notify:1"), waiting)
	s.Advance(delay - tick)
	waiting.Remaining = tick
	s.wantRecord("1 ms before it is due", s.claim("notify:1"), waiting)
	s.Advance(tick)
	req := request("notify:1")
	s.wantRecord("when it is due", s.ask(req), idem.Record{
		Key: "notify:1", Handler: handler, Status: idem.StatusRunning, Attempt: 2,
		Owner: req.Owner, Error: "the provider is down", Remaining: lease,
	})
}

func usedUp(s *suite) {
	ends := []struct {
		name string
		end  func(key idem.Key, token idem.Token)
	}{
		{"takeover", func(idem.Key, idem.Token) { s.Advance(lease + tick) }},
		{"release", func(_ idem.Key, token idem.Token) { s.release(token, 0, "the provider is down") }},
		{"claim of a swept run", func(idem.Key, idem.Token) { s.Advance(lease + tick); s.sweep(9, 1) }},
	}
	for _, e := range ends {
		for _, holds := range []int{0, 1, limit + 1} {
			key := idem.Key(fmt.Sprintf("%s:%d", e.name, holds))
			for attempt := 1; attempt <= limit+holds; attempt++ {
				rec := s.hold(key)
				if rec.Attempt != attempt || rec.Holds != min(attempt-1, holds) {
					s.Fatalf("%s: attempt %d: got %s", key, attempt, show(rec))
				}
				if attempt <= holds {
					s.must(s.Store.Release(context.Background(), rec.Token(), idem.Release{Error: "too early", Attempts: limit, Hold: true}))
					continue
				}
				e.end(key, rec.Token())
			}
			rec := s.claim(key)
			if rec.Status != idem.StatusDead || rec.Attempt != limit+holds+1 || rec.Error == "" || rec.Owner != (idem.Owner{}) {
				s.Errorf("%s: after attempt %d of %d and %d holds: got %s", key, limit+holds, limit, holds, show(rec))
			}
			s.wantRecord("lookup", s.lookup(key), rec)
		}
	}
}

func deadStays(s *suite) {
	req := request("notify:1")
	req.Attempts = 1
	first := s.ask(req)
	s.must(s.Store.Release(context.Background(), first.Token(), idem.Release{Error: "no such customer", Attempts: 1}))
	dead := idem.Record{Key: "notify:1", Handler: handler, Status: idem.StatusDead, Attempt: 2, Error: "no such customer"}
	s.wantRecord("released", s.lookup("notify:1"), dead)

	s.Advance(1000 * lease)
	s.sweep(9, 0)
	req.Attempts = 1000 // another limit revives nothing
	s.wantRecord("claim", s.ask(req), dead)
	s.wantLost("complete by the last holder", s.Store.Complete(context.Background(), first.Token(), idem.Outcome{Status: idem.StatusDone}))
	s.wantRecord("lookup", s.lookup("notify:1"), dead)
}

func otherHandler(s *suite) {
	for state, arrange := range states {
		key := idem.Key("notify:" + state)
		arrange(s, key)
		before := s.lookup(key)
		req := request(key)
		req.Handler = "charge"
		for _, req.Redelivered = range []bool{false, true} {
			s.wantRecord(state, s.ask(req), before)
		}
		req.Owner = before.Owner // nor with its owner
		s.wantRecord(state, s.ask(req), before)
		s.wantRecord(state+": lookup", s.lookup(key), before)
	}
}

// states brings a key into each state that a claim can meet.
var states = map[string]func(*suite, idem.Key){
	"running": func(s *suite, key idem.Key) { s.hold(key) },
	"expired": func(s *suite, key idem.Key) { s.hold(key); s.Advance(lease + tick) },
	"last attempt expired": func(s *suite, key idem.Key) {
		for range limit {
			s.hold(key)
			s.Advance(lease + tick)
		}
	},
	"waiting": func(s *suite, key idem.Key) { s.release(s.hold(key).Token(), lease, "later") },
	"due":     func(s *suite, key idem.Key) { s.release(s.hold(key).Token(), 0, "now") },
	"done":    func(s *suite, key idem.Key) { s.complete(s.hold(key).Token(), "result") },
	"failed": func(s *suite, key idem.Key) {
		s.must(s.Store.Complete(context.Background(), s.hold(key).Token(), idem.Outcome{Status: idem.StatusFailed, Error: "no"}))
	},
	"dead": func(s *suite, key idem.Key) {
		for range limit {
			s.release(s.hold(key).Token(), 0, "no")
		}
	},
}

func redelivered(s *suite) {
	check := func(state string) {
		first := request(idem.Key("first:" + state))
		again := first
		again.Key, again.Redelivered = idem.Key("again:"+state), true
		s.wantSameAnswer(state, first, again)
	}
	for state, arrange := range states {
		arrange(s, idem.Key("again:"+state))
		arrange(s, idem.Key("first:"+state))
		check(state)
	}
	check("new")
}

// wantSameAnswer makes two claims by one owner, of two keys in the same state.
func (s *suite) wantSameAnswer(what string, first, again idem.ClaimRequest) {
	s.Helper()
	want, got := s.ask(first), s.ask(again)
	if want.Owner != first.Owner { // the holders of an earlier claim differ
		want.Owner, want.Remaining = got.Owner, got.Remaining
	}
	want.Key, want.Fingerprint = again.Key, got.Fingerprint
	s.wantRecord(what, got, want)
}

func endedContext(s *suite) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Store.Claim(ctx, request("notify:1")); !errors.Is(err, context.Canceled) {
		s.Errorf("claim: got %v, want context.Canceled", err)
	}
	s.wantAbsent("notify:1")
}
