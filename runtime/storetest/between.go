package storetest

import (
	"context"
	"fmt"

	idem "github.com/idemgen/idemgen/runtime"
)

// change is what may happen to a run that can be taken, after a claim has
// looked at it and before it writes.
type change struct {
	from    string // the state that the claim sees
	name    string
	happen  func(s *suite, held idem.Record)
	granted bool        // the claim gets the key all the same
	status  idem.Status // of the run then
	attempt int
}

var changes = []change{
	{"expired", "extended", func(s *suite, held idem.Record) {
		s.must(s.Store.Extend(context.Background(), held.Token(), lease))
	}, false, idem.StatusRunning, 1},
	{"expired", "completed", func(s *suite, held idem.Record) { s.complete(held.Token(), "result") }, false, idem.StatusDone, 1},
	{"expired", "put off", func(s *suite, held idem.Record) { s.release(held.Token(), lease, "later") }, false, idem.StatusWaiting, 2},
	{"expired", "released", func(s *suite, held idem.Record) { s.release(held.Token(), 0, "now") }, true, idem.StatusRunning, 2},
	{"expired", "swept", func(s *suite, _ idem.Record) { s.sweepAll() }, true, idem.StatusRunning, 2},
	{"expired", "taken over", func(s *suite, held idem.Record) { s.hold(held.Key) }, false, idem.StatusRunning, 2},
	{"expired", "taken over, and expired again", func(s *suite, held idem.Record) {
		s.hold(held.Key)
		s.Advance(lease + tick)
	}, true, idem.StatusRunning, 3},
	{"expired", "purged", func(s *suite, held idem.Record) { s.remove(held.Key) }, true, idem.StatusRunning, 1},
	{"expired", "purged, and held by another handler", func(s *suite, held idem.Record) {
		s.remove(held.Key)
		req := request(held.Key)
		req.Handler = "charge"
		s.ask(req)
		s.Advance(lease + tick)
	}, false, idem.StatusRunning, 1},
	{"expired", "failed by hand", func(s *suite, held idem.Record) {
		s.Exec(s, fmt.Sprintf("UPDATE %s SET status = 'failed', completed_at = created_at WHERE key = '%s'", s.Table, held.Key))
	}, false, idem.StatusFailed, 1},
	{"due", "taken, and released again", func(s *suite, held idem.Record) {
		s.release(s.hold(held.Key).Token(), 0, "again")
	}, true, idem.StatusRunning, 3},
	{"due", "taken", func(s *suite, held idem.Record) { s.hold(held.Key) }, false, idem.StatusRunning, 2},
	// In a state that nothing tells from the one that was seen.
	{"due", "purged, and left due by another handler", func(s *suite, held idem.Record) {
		s.remove(held.Key)
		req := request(held.Key)
		req.Handler = "charge"
		s.release(s.ask(req).Token(), 0, "now")
	}, false, idem.StatusWaiting, 2},
	{"due", "purged, and left due with other values", func(s *suite, held idem.Record) {
		s.remove(held.Key)
		req := request(held.Key)
		req.Fingerprint = values(2)
		s.release(s.ask(req).Token(), 0, "now")
	}, false, idem.StatusWaiting, 2},
	{"due", "purged, and left due with the same values", func(s *suite, held idem.Record) {
		s.remove(held.Key)
		s.release(s.hold(held.Key).Token(), 0, "now")
	}, true, idem.StatusRunning, 2},
}

func changedBetween(s *suite, wire *Wire) {
	// A run that has no fingerprint gets one as it is taken, which tells it from what was
	// seen; one that had it from the first is to be told by the rest.
	for _, fingerprint := range [][]byte{nil, values(1)} {
		for _, c := range changes {
			s.claimBetween(wire, c, fingerprint, limit)
			if c.granted && c.attempt > 1 {
				c.granted, c.status = false, idem.StatusDead
			}
			s.claimBetween(wire, c, fingerprint, 1) // which would bury the run that it has seen
		}
	}
	s.sweptBetween(wire)
	s.purgedBetween(wire)
}

// sweptBetween has the holders of runs that a sweep has found extend and complete them.
func (s *suite) sweptBetween(wire *Wire) {
	s.Helper()
	extended, completed := s.hold("extended").Token(), s.hold("completed").Token()
	s.hold("left")
	s.Advance(lease + tick)
	wire.before("UPDATE", func() {
		s.must(s.Store.Extend(context.Background(), extended, lease))
		s.complete(completed, "result")
	})
	if s.sweep(99, 1); !wire.met() {
		s.Error("the sweep has written nothing")
	}
	for key, want := range map[idem.Key]idem.Status{"extended": idem.StatusRunning, "completed": idem.StatusDone, "left": idem.StatusWaiting} {
		if rec := s.lookup(key); rec.Status != want {
			s.Errorf("%s between the look of a sweep and its write: %s", key, show(rec))
		}
		s.remove(key)
	}
}

// purgedBetween has runs that a purge has found claimed, and put off.
func (s *suite) purgedBetween(wire *Wire) {
	s.Helper()
	for _, key := range []idem.Key{"taken", "put off", "left"} {
		states["due"](s, key)
	}
	s.Advance(2 * retention)
	wire.before("DELETE", func() {
		s.hold("taken")
		s.release(s.hold("put off").Token(), lease, "later")
	})
	if s.purge(retention, 99, 1); !wire.met() {
		s.Error("the purge has deleted nothing")
	}
	s.wantThere("taken", "put off")
	s.wantGone("left")
	s.remove("taken")
	s.remove("put off")
}

// claimBetween claims a key while the change happens to a run with such a fingerprint.
func (s *suite) claimBetween(wire *Wire, c change, fingerprint []byte, attempts int) {
	s.Helper()
	const key = "notify:1"
	s.fingerprint = fingerprint
	states[c.from](s, key)
	held := s.lookup(key)
	s.fingerprint = values(1)
	defer func() { s.fingerprint = nil }()
	wire.before("UPDATE", func() { c.happen(s, held) })
	req := s.request(key)
	req.Attempts = attempts
	got := s.ask(req)
	if !wire.met() || got.HeldBy(req.Owner) != c.granted || got.Status != c.status || got.Attempt != c.attempt {
		s.Errorf("%s, of %d attempts: want %s, attempt %d, granted: %t; got %s", c.name, attempts, c.status, c.attempt, c.granted, show(got))
	}
	s.wantRecord(c.name, s.lookup(key), got)
	s.remove(key)
}
