package storetest

import (
	"context"
	"fmt"
	"math"

	idem "github.com/idemgen/idemgen/runtime"
)

func sweep(s *suite) {
	for _, state := range []string{"expired", "last attempt expired", "waiting", "due", "done", "failed", "dead"} {
		states[state](s, idem.Key(state))
	}
	other := request("charge:1")
	other.Handler = "charge"
	s.ask(other)
	s.Advance(lease - tick)
	s.hold("running")
	before := map[idem.Key]idem.Record{}
	for _, key := range []idem.Key{"running", "waiting", "due", "done", "failed", "dead"} {
		before[key] = s.lookup(key)
	}
	s.sweep(9, 2) // 1 ms before the end of the other handler's lease
	s.Advance(2 * tick)
	s.sweep(9, 1)
	s.sweep(9, 0)

	for key, want := range before {
		if want.Remaining != 0 { // told by a clock that has moved
			want.Remaining -= 2 * tick
		}
		s.wantRecord("not to be swept", s.lookup(key), want)
	}
	swept := []idem.Record{ // due since the sweep
		{Key: "expired", Handler: handler, Attempt: 2, Remaining: -2 * tick},
		{Key: "last attempt expired", Handler: handler, Attempt: limit + 1, Remaining: -2 * tick},
		{Key: "charge:1", Handler: "charge", Attempt: 2},
	}
	for _, want := range swept {
		want.Status, want.Error = idem.StatusWaiting, fmt.Sprintf("the lease of attempt %d ran out", want.Attempt-1)
		s.wantRecord("swept", s.lookup(want.Key), want)
	}
	if rec := s.hold("expired"); rec.Attempt != 2 {
		s.Errorf("claimed after a sweep: %s", show(rec))
	}
}

// sweepOrder has runs with longer leases, still in force, older than all
// that are to be swept: they must not use up the limit.
func sweepOrder(s *suite) {
	for i := range 20 {
		req := request(idem.Key(fmt.Sprintf("long:%d", i)))
		req.Lease = 1000 * lease
		s.ask(req)
		s.Advance(tick)
	}
	for i := range 10 {
		s.hold(idem.Key(fmt.Sprintf("short:%d", 9-i)))
		s.Advance(tick)
	}
	s.Advance(lease)
	for batch := range 3 {
		s.sweep(3, 3)
		for i := range 10 {
			want := idem.StatusRunning
			if i < 3*(batch+1) {
				want = idem.StatusWaiting
			}
			key := idem.Key(fmt.Sprintf("short:%d", 9-i))
			if rec := s.lookup(key); rec.Status != want {
				s.Errorf("after sweep %d: want %s, got %s", batch+1, want, show(rec))
			}
		}
	}
	s.sweep(0, 0)
	s.sweep(-1, 0) // which is no limit in some databases
	s.sweep(3, 1)
	s.sweep(3, 0)
}

// purge has two runs of each state: the first to end is finished, or due, 1 ms
// longer ago than retain, the other 1 ms less.
func purge(s *suite) {
	const retain = 100 * lease
	long := request("")
	long.Lease = 10 * retain // so that no lease is over meanwhile
	tokens := map[idem.Key]idem.Token{}
	for state := range ends {
		for _, age := range []string{"old:", "young:"} {
			long.Key = idem.Key(age + state)
			tokens[long.Key] = s.ask(long).Token()
		}
	}
	s.Advance(retain) // what was created long ago is not what was finished long ago
	s.purge(retain, 99, 0)
	for state, end := range ends {
		end(s, tokens[idem.Key("old:"+state)])
	}
	s.Advance(2 * tick)
	for state, end := range ends {
		end(s, tokens[idem.Key("young:"+state)])
	}
	s.Advance(retain - tick)
	s.purge(retain, 99, 3)
	s.wantGone("old:done", "old:failed", "old:dead")
	s.wantThere("old:waiting", "old:running", "young:done", "young:failed", "young:dead", "young:waiting", "young:running")

	s.Advance(waitingDelay - tick)
	s.purge(retain, 99, 3)
	s.wantGone("young:done", "young:failed", "young:dead")
	s.wantThere("old:waiting", "young:waiting")
	s.Advance(tick)
	s.purge(retain, 99, 1)
	s.wantGone("old:waiting")
	s.wantThere("young:waiting")
	s.Advance(20 * retain) // a run whose lease is over is for the sweep
	s.purge(retain, 99, 1)
	s.wantThere("old:running", "young:running")
}

const waitingDelay = 2 * lease

// ends bring a run that is held into each state that a purge can meet.
var ends = map[string]func(*suite, idem.Token){
	"done": func(s *suite, token idem.Token) { s.complete(token, "result") },
	"failed": func(s *suite, token idem.Token) {
		s.must(s.Store.Complete(context.Background(), token, idem.Outcome{Status: idem.StatusFailed}))
	},
	"dead": func(s *suite, token idem.Token) {
		s.must(s.Store.Release(context.Background(), token, idem.Release{}))
	},
	"waiting": func(s *suite, token idem.Token) { s.release(token, waitingDelay, "") },
	"running": func(*suite, idem.Token) {},
}

func (s *suite) wantGone(keys ...idem.Key) {
	s.Helper()
	for _, key := range keys {
		s.wantAbsent(key)
	}
}

func (s *suite) wantThere(keys ...idem.Key) {
	s.Helper()
	for _, key := range keys {
		s.lookup(key)
	}
}

func purgeLimit(s *suite) {
	const retain = 100 * lease
	other := request("charge:1")
	other.Handler = "charge"
	s.complete(s.ask(other).Token(), "result")
	for i := range 7 {
		s.complete(s.hold(idem.Key(fmt.Sprintf("notify:%d", i))).Token(), "result")
	}
	s.Advance(2 * retain)
	young := s.hold("notify:young").Token()
	s.complete(young, "result")

	s.purge(0, 99, 0) // kept for ever
	s.purge(math.MaxInt64, 99, 0)
	s.purge(retain, 0, 0)
	s.purge(retain, -1, 0)
	s.purge(retain, 3, 3)
	s.purge(retain, 3, 3)
	s.purge(retain, 3, 1)
	s.purge(retain, 3, 0)
	s.lookup("charge:1")
	s.lookup("notify:young")
	if rec := s.hold("notify:1"); rec.Attempt != 1 {
		s.Errorf("claimed after a purge: %s", show(rec))
	}
}

func lookup(s *suite) {
	s.wantAbsent("notify:1")
	for state, arrange := range states {
		key := idem.Key(state)
		arrange(s, key)
		before := s.lookup(key)
		s.wantRecord(state, s.lookup(key), before)
		if state == "expired" && before.Remaining != -tick {
			s.Errorf("the lease is over by 1 ms: %s", show(before))
		}
	}
}
