package storetest

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	idem "github.com/idemgen/idemgen/runtime"
)

// values is a fingerprint of so many cents; all are of one definition.
func values(cents int) []byte { return fingerprint(idem.Value("order.Cents", cents)) }

// differently is of another definition.
var differently = fingerprint(idem.Value("order.Cents", 1), idem.Value("order.Currency", "EUR"))

func fingerprint(parts ...idem.Part) []byte {
	data, err := idem.NewFingerprint(parts...).Bytes()
	if err != nil {
		panic(err) // plain values have JSON
	}
	return data
}

func otherValues(s *suite) {
	s.fingerprint = values(1)
	for state, arrange := range states {
		key := idem.Key("charge:" + state)
		arrange(s, key)
		before := s.lookup(key)
		s.wantUntouched(state, func() {
			req := request(key)
			req.Fingerprint = values(2)
			for _, req.Redelivered = range []bool{false, true} {
				s.wantRecord(state, s.ask(req), before)
			}
			req.Attempts = 1 // nor is it buried
			s.wantRecord(state, s.ask(req), before)
			req.Owner = before.Owner
			s.wantRecord(state, s.ask(req), before)
			s.wantRecord(state+": lookup", s.lookup(key), before)
		})
	}
}

// wantUntouched compares the whole table, byte for byte, before and after.
func (s *suite) wantUntouched(what string, happen func()) {
	s.Helper()
	s.Exec(s, "CREATE TABLE as_it_was AS SELECT * FROM "+s.Table)
	happen()
	const changed = "SELECT count(*) FROM (SELECT * FROM %s EXCEPT SELECT * FROM %s) AS changed"
	now, then := s.Count(s, fmt.Sprintf(changed, s.Table, "as_it_was")), s.Count(s, fmt.Sprintf(changed, "as_it_was", s.Table))
	if now+then > 0 {
		s.Errorf("%s: %d rows are other than the %d that were there", what, now, then)
	}
	s.Exec(s, "DROP TABLE as_it_was")
}

// notCompared claims each key as one without any fingerprint would be.
func notCompared(s *suite) {
	pairs := []struct {
		name          string
		stored, asked []byte
	}{
		{"both without", nil, nil}, {"run without", nil, values(1)}, {"claim without", values(1), nil},
		{"claim with an empty one", values(1), []byte{}}, {"the same", values(1), values(1)}, {"another definition", values(1), differently},
		{"bytes of nobody's", values(1)[:5], values(1)},
	}
	for _, p := range pairs {
		for state, arrange := range states {
			plain := request(idem.Key(p.name + ", plain: " + state))
			asked := plain
			asked.Key, asked.Fingerprint = idem.Key(p.name+": "+state), p.asked
			s.fingerprint = p.stored
			arrange(s, asked.Key)
			s.fingerprint = nil
			arrange(s, plain.Key)
			s.wantSameAnswer(string(asked.Key), plain, asked)
		}
	}
}

func firstFingerprint(s *suite) {
	const key = "charge:1"
	want := func(what string, rec idem.Record, fingerprint []byte) {
		s.Helper()
		for _, rec := range []idem.Record{rec, s.lookup(rec.Key)} {
			if !bytes.Equal(rec.Fingerprint, fingerprint) || (rec.Fingerprint == nil) != (fingerprint == nil) {
				s.Errorf("%s: got %s; want the fingerprint %x", what, show(rec), fingerprint)
			}
		}
	}
	held := s.hold(key)
	want("claimed without", held, nil)
	s.fingerprint = values(1)
	want("not granted", s.claim(key), nil)
	s.release(held.Token(), 0, "")
	held = s.hold(key)
	want("taken with", held, values(1))
	s.must(s.Store.Extend(context.Background(), held.Token(), lease))
	s.Advance(lease + tick)
	s.sweepAll()
	s.fingerprint = differently
	held = s.hold(key)
	want("swept, and taken with another definition", held, values(1))
	s.complete(held.Token(), "result")
	want("done", s.claim(key), values(1))

	s.fingerprint = []byte{}
	held = s.hold("charge:2")
	want("an empty one is none", held, nil)
	s.release(held.Token(), 0, "")
	s.fingerprint = values(1)
	want("taken after an empty one", s.hold("charge:2"), values(1))
	for state, arrange := range states {
		s.fingerprint = values(1)
		arrange(s, idem.Key(state))
		s.fingerprint = nil
		want(state+", and then claimed without", s.claim(idem.Key(state)), values(1))
	}
}

func oneOfTheValues(s *suite) {
	for round := range 40 {
		key := idem.Key(fmt.Sprintf("charge:%d", round))
		if round%2 == 1 { // a run that is due, and has no values yet
			s.release(s.hold(key).Token(), 0, "")
		}
		s.raceWithValues(key, 8)
	}
}

func (s *suite) raceWithValues(key idem.Key, claimers int) {
	s.Helper()
	var mu sync.Mutex
	var answers [2][]idem.Record // to the claims with each of the values
	var winners []int
	s.together(claimers, func(i int) {
		req := request(key)
		req.Fingerprint = values(i % 2)
		rec, err := s.Store.Claim(context.Background(), req)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			s.Errorf("claim %q: %v", key, err)
			return
		}
		if rec.HeldBy(req.Owner) {
			winners = append(winners, i%2)
		}
		answers[i%2] = append(answers[i%2], rec)
	})
	if len(winners) != 1 {
		s.Fatalf("%q: %d winners", key, len(winners))
	}
	row := s.lookup(key)
	for value, records := range answers {
		for _, rec := range records {
			s.wantRecord("an answer", rec, row)
			if rec.DiffersFrom(values(value)) == (value == winners[0]) {
				s.Errorf("%q was won with %d cents, and asked for with %d: %s", key, winners[0], value, show(rec))
			}
		}
	}
}
