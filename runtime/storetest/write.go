package storetest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

func exactBytes(s *suite) {
	everyByte := make([]byte, 256)
	for i := range everyByte {
		everyByte[i] = byte(i)
	}
	results := [][]byte{
		nil, {}, {0}, []byte("null"), []byte(`{"b":1,"a":1.0,"a":2}`), []byte(" [1e308] "), []byte("\"\\u0000\""),
		{0xff, 0xfe, 0x00, 0xc0, 0x80}, []byte("\xed\xa0\x80"), everyByte, bytes.Repeat([]byte("x"), idem.MaxResultBytes),
	}
	for i, result := range results {
		key := idem.Key(fmt.Sprintf("notify:%d", i))
		token := s.hold(key).Token()
		s.must(s.Store.Complete(context.Background(), token, idem.Outcome{Status: idem.StatusDone, Result: result}))
		for range 2 {
			got := s.claim(key).Result
			if !bytes.Equal(got, result) || (got == nil) != (result == nil) {
				s.Errorf("%d: got %.80q (nil: %t), want %.80q (nil: %t)", i, got, got == nil, result, result == nil)
			}
		}
	}
}

func finishedStays(s *suite) {
	outcomes := []idem.Outcome{
		{Status: idem.StatusDone, Result: []byte("result")},
		{Status: idem.StatusDone, Error: "too large"},
		{Status: idem.StatusFailed, Error: "no such customer"},
		{Status: idem.StatusStale, Error: "version 1 is older than 3"},
	}
	for i, o := range outcomes {
		key := idem.Key(fmt.Sprintf("notify:%d", i))
		s.release(s.hold(key).Token(), 0, "an error before")
		held := s.hold(key)
		s.must(s.Store.Complete(context.Background(), held.Token(), o))
		want := idem.Record{
			Key: key, Handler: handler, Status: o.Status, Attempt: 2,
			Owner: held.Owner, Result: o.Result, Error: o.Error,
		}
		s.wantRecord("first duplicate", s.claim(key), want)

		s.Advance(1000 * lease)
		s.sweep(9, 0)
		s.wantLost("release", s.Store.Release(context.Background(), held.Token(), idem.Release{Attempts: limit}))
		s.wantLost("extend", s.Store.Extend(context.Background(), held.Token(), lease))
		other, before := held.Token(), held.Token()
		other.Owner = idem.NewOwner()
		before.Attempt--
		for _, token := range []idem.Token{other, before} {
			s.wantLost("complete by another", s.Store.Complete(context.Background(), token, idem.Outcome{Status: idem.StatusDone, Result: []byte("other")}))
		}
		s.wantRecord("last duplicate", s.claim(key), want)
	}
}

func completeAgain(s *suite) {
	token := s.hold("notify:1").Token()
	s.complete(token, "first")
	s.complete(token, "second")
	s.must(s.Store.Complete(context.Background(), token, idem.Outcome{Status: idem.StatusFailed, Error: "third"}))
	if rec := s.lookup("notify:1"); rec.Status != idem.StatusDone || string(rec.Result) != "first" || rec.Error != "" {
		s.Errorf("got %s, want the first outcome", show(rec))
	}
}

// losses are the ways for a holder to lose its run, its lease being over.
var losses = map[string]func(*suite, idem.Key){
	"takeover":         func(s *suite, key idem.Key) { s.hold(key) },
	"sweep":            func(s *suite, _ idem.Key) { s.sweepAll() },
	"sweep and claim":  func(s *suite, key idem.Key) { s.sweepAll(); s.hold(key) },
	"done by another":  func(s *suite, key idem.Key) { s.complete(s.hold(key).Token(), "other") },
	"freed by another": func(s *suite, key idem.Key) { s.release(s.hold(key).Token(), lease, "other") },
	"purge and claim": func(s *suite, key idem.Key) {
		s.complete(s.hold(key).Token(), "other")
		s.Advance(2 * retention)
		s.purgeAll()
		s.hold(key)
	},
	"dead": func(s *suite, key idem.Key) {
		req := request(key)
		req.Attempts = 1
		s.ask(req)
	},
}

func leaseLost(s *suite) {
	for how, lose := range losses {
		key := idem.Key(how)
		token := s.hold(key).Token()
		s.Advance(lease + tick)
		lose(s, key)
		s.wantNoWrite(how, token)
	}
	released := s.hold("released").Token()
	s.release(released, lease, "late") // with the text of what comes again
	s.wantNoWrite("released", released)
}

// wantNoWrite checks that a token can write nothing.
func (s *suite) wantNoWrite(what string, token idem.Token) {
	s.Helper()
	before := s.lookup(token.Key)
	ctx := context.Background()
	s.wantLost(what+": complete", s.Store.Complete(ctx, token, idem.Outcome{Status: idem.StatusDone, Result: []byte("late")}))
	s.wantLost(what+": fail", s.Store.Complete(ctx, token, idem.Outcome{Status: idem.StatusFailed, Error: "late"}))
	s.wantLost(what+": release", s.Store.Release(ctx, token, idem.Release{Error: "late", Attempts: limit}))
	s.wantLost(what+": release of the last attempt", s.Store.Release(ctx, token, idem.Release{Error: "late"}))
	s.wantLost(what+": extend", s.Store.Extend(ctx, token, 9*lease))
	s.wantRecord(what+": lookup", s.lookup(token.Key), before)
}

func fence(s *suite) {
	held := s.hold("notify:1").Token()
	owner, sooner, later, key := held, held, held, held
	owner.Owner = idem.NewOwner()
	sooner.Attempt--
	later.Attempt++
	key.Key = "notify:2"
	s.hold("notify:2")
	s.wantNoWrite("another owner", owner)
	s.wantNoWrite("the attempt before", sooner)
	s.wantNoWrite("the attempt after", later)
	s.wantNoWrite("another key", key)
	s.wantNoWrite("no owner", idem.Token{Key: held.Key, Attempt: held.Attempt})

	// The holder's own attempt and owner on a row that runs no more: as an
	// operator leaves it, who knows no fence.
	for _, status := range []string{"waiting", "dead"} {
		s.Exec(s, fmt.Sprintf("UPDATE %s SET status = '%s', completed_at = created_at WHERE key = 'notify:1'", s.Table, status))
		s.wantNoWrite(status, held)
	}
}

func lateHolder(s *suite) {
	for _, key := range []idem.Key{"complete", "release", "extend"} {
		token := s.hold(key).Token()
		s.Advance(10 * lease)
		switch key {
		case "complete":
			s.complete(token, "late")
			if rec := s.claim(key); rec.Status != idem.StatusDone || string(rec.Result) != "late" {
				s.Errorf("completed late: %s", show(rec))
			}
		case "release":
			s.release(token, 0, "late")
			if rec := s.lookup(key); rec.Status != idem.StatusWaiting || rec.Attempt != 2 {
				s.Errorf("released late: %s", show(rec))
			}
		case "extend":
			s.must(s.Store.Extend(context.Background(), token, lease))
			if rec := s.claim(key); rec.Token() != token || rec.Remaining != lease {
				s.Errorf("extended late: %s", show(rec))
			}
		}
	}
}

func extend(s *suite) {
	held := s.hold("notify:1")
	for _, d := range []time.Duration{lease, 3 * lease, lease / 2} {
		s.Advance(lease / 4)
		s.must(s.Store.Extend(context.Background(), held.Token(), d))
		held.Remaining = d
		s.wantRecord(fmt.Sprintf("extended by %v", d), s.lookup("notify:1"), held)
	}
	s.Advance(lease/2 - tick)
	if rec := s.claim("notify:1"); rec.Token() != held.Token() {
		s.Errorf("1 ms before the end: %s", show(rec))
	}
	s.Advance(2 * tick)
	last := s.hold("notify:1")
	s.must(s.Store.Extend(context.Background(), last.Token(), math.MaxInt64))
	s.wantInForce("extended for ever", s.lookup("notify:1"))
}

func release(s *suite) {
	token := s.hold("notify:1").Token()
	s.release(token, 90*time.Second, "the provider said \"no\"\n\u2603")
	s.wantRecord("released", s.lookup("notify:1"), idem.Record{
		Key: "notify:1", Handler: handler, Status: idem.StatusWaiting, Attempt: 2,
		Error: "the provider said \"no\"\n\u2603", Remaining: 90 * time.Second,
	})
	s.wantNoWrite("released already", token)
	s.Advance(90 * time.Second)
	s.complete(s.hold("notify:1").Token(), "result")
	if rec := s.lookup("notify:1"); rec.Error != "" {
		s.Errorf("done, and still has the error of the attempt before: %s", show(rec))
	}
	s.release(s.hold("notify:2").Token(), math.MaxInt64, "for ever")
	s.wantInForce("the longest delay", s.lookup("notify:2"))
}

func noRun(s *suite) {
	token := idem.Token{Key: "notify:1", Owner: idem.NewOwner(), Attempt: 1}
	ctx := context.Background()
	s.wantLost("complete", s.Store.Complete(ctx, token, idem.Outcome{Status: idem.StatusDone}))
	s.wantLost("release", s.Store.Release(ctx, token, idem.Release{Attempts: limit}))
	s.wantLost("extend", s.Store.Extend(ctx, token, lease))
	s.wantAbsent("notify:1")
}

func outcomes(s *suite) {
	held := s.hold("notify:1")
	for _, status := range []idem.Status{"", idem.StatusRunning, idem.StatusWaiting, idem.StatusDead, "over"} {
		if err := s.Store.Complete(context.Background(), held.Token(), idem.Outcome{Status: status}); err == nil {
			s.Errorf("completed as %q", status)
		}
	}
	s.wantRecord("lookup", s.lookup("notify:1"), held)
}
