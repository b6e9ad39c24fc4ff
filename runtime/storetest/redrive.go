package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	idem "github.com/idemgen/idemgen/runtime"
)

// holdWith claims a key for an event that is kept.
func (s *maintenanceSuite) holdWith(key idem.Key, payload []byte) idem.Record {
	s.Helper()
	req := request(key)
	req.Payload = payload
	rec := s.ask(req)
	if !rec.HeldBy(req.Owner) {
		s.Fatalf("claim %q: not granted: %s", key, show(rec))
	}
	return rec
}

// undelivered lists all of them, in pages of two.
func (s *maintenanceSuite) undelivered(handler string) (list []string) {
	s.Helper()
	var after idem.Undelivered
	for {
		page, err := s.keeper.Undelivered(context.Background(), handler, after, 2)
		s.must(err)
		for _, run := range page {
			list = append(list, fmt.Sprintf("%s %q", run.Key, run.Payload))
			after = run
		}
		if len(page) < 2 {
			return list
		}
	}
}

func (s *maintenanceSuite) wantUndelivered(what string, want ...string) {
	s.Helper()
	if got := s.undelivered(handler); !slices.Equal(got, want) {
		s.Errorf("%s: undelivered are\n %q, want\n %q", what, got, want)
	}
}

func payloadKept(s *maintenanceSuite) {
	raw := []byte("{\x00\xff'\\}")
	stored := func(key idem.Key) int {
		return s.Count(s, fmt.Sprintf("SELECT count(*) FROM %s WHERE key = '%s' AND payload IS NOT NULL", s.Table, key))
	}
	first := s.holdWith("notify:1", raw)
	s.release(first.Token(), 0, "again")
	s.wantUndelivered("released", fmt.Sprintf("notify:1 %q", raw))
	again := s.holdWith("notify:1", []byte("another event"))
	s.release(again.Token(), 0, "again")
	s.wantUndelivered("claimed with another event since", fmt.Sprintf("notify:1 %q", raw))
	s.complete(s.holdWith("notify:1", raw).Token(), "result")

	failed := s.holdWith("notify:2", raw).Token()
	s.must(s.Store.Complete(context.Background(), failed, idem.Outcome{Status: idem.StatusFailed}))
	s.must(s.Store.Release(context.Background(), s.holdWith("notify:3", raw).Token(), idem.Release{})) // dead
	s.hold("notify:4")
	stale := s.holdWith("notify:5", raw).Token()
	s.must(s.Store.Complete(context.Background(), stale, idem.Outcome{Status: idem.StatusStale}))
	for key, want := range map[idem.Key]int{"notify:1": 0, "notify:2": 0, "notify:3": 1, "notify:4": 0, "notify:5": 0} {
		if got := stored(key); got != want {
			s.Errorf("%s keeps %d events, want %d", key, got, want)
		}
	}
	s.Advance(2 * lease)
	s.release(s.holdWith("notify:4", bytes.Repeat([]byte("x"), 3)).Token(), 0, "again") // of before the directive
	s.wantUndelivered("claimed without an event before", `notify:4 "xxx"`)
	s.payloadsAtOnce()
}

// payloadsAtOnce makes claims that a store may send together.
func (s *maintenanceSuite) payloadsAtOnce() {
	s.Helper()
	var all sync.WaitGroup
	for n := range 64 {
		all.Go(func() {
			req := request(idem.Key(fmt.Sprintf("together:%d", n)))
			req.Payload = []byte(req.Key)
			if n%2 == 0 {
				req.Payload = nil
			}
			if _, err := s.Store.Claim(context.Background(), req); err != nil {
				s.Error(err)
			}
		})
	}
	all.Wait()
	s.Advance(2 * lease)
	own := 0
	for _, line := range s.undelivered(handler) {
		var n int
		if _, err := fmt.Sscanf(line, "together:%d", &n); err != nil {
			continue
		}
		own++
		if want := fmt.Sprintf("together:%[1]d %[2]q", n, fmt.Sprintf("together:%d", n)); n%2 == 0 || line != want {
			s.Errorf("got %s, want %s", line, want)
		}
	}
	if own != 32 {
		s.Errorf("%d of 32 claims at once kept their events", own)
	}
}

func undeliveredRuns(s *maintenanceSuite) {
	other := request("charge:1")
	other.Handler, other.Payload = "charge", []byte("c")
	s.ask(other)
	s.hold("no event")
	tokens := map[string]idem.Token{}
	for i, key := range []string{"b", "a", "held", "due", "done", "dead", "d"} {
		if i != 1 { // b and a are of one moment
			s.Advance(tick)
		}
		tokens[key] = s.holdWith(idem.Key(key), []byte(key)).Token()
	}
	s.wantUndelivered("all are running")
	s.release(tokens["held"], 2*lease, "later")
	s.release(tokens["due"], 0, "now")
	s.complete(tokens["done"], "result")
	s.must(s.Store.Release(context.Background(), tokens["dead"], idem.Release{}))
	s.wantUndelivered("one is due", `due "due"`)
	s.Advance(lease - 5*tick)
	s.wantUndelivered("leases are over", `a "a"`, `b "b"`, `due "due"`)
	s.Advance(5 * tick)
	s.wantUndelivered("all leases are over", `a "a"`, `b "b"`, `due "due"`, `d "d"`)
	s.sweepAll()
	s.wantUndelivered("swept", `a "a"`, `b "b"`, `due "due"`, `d "d"`)
	s.Advance(lease)
	s.wantUndelivered("the held one is due", `a "a"`, `b "b"`, `held "held"`, `due "due"`, `d "d"`)
	if got := s.undelivered("charge"); !slices.Equal(got, []string{`charge:1 "c"`}) {
		s.Errorf("of the other handler: %q", got)
	}
	page, err := s.keeper.Undelivered(context.Background(), handler, idem.Undelivered{}, 0)
	if err != nil || len(page) > 0 {
		s.Errorf("none were asked for: %v, %v", page, err)
	}
}
