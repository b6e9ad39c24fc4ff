package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// faults continue the list of promises, as doc.go has it.
var faults = []struct {
	text string
	test func(*suite, *Wire)
}{
	{"A claim whose answer was lost is recognised: the same attempt, with its whole lease.", lostClaim},
	{"A write whose answer was lost is found to have been made, once.", lostWrite},
	{"A run that changes between the look and the write is looked at again, not overwritten, swept or purged.", changedBetween},
	{"A claim that waited has its whole lease, or ErrLeaseLost if it was overtaken.", waited},
	{"A claim that is cancelled before its answer came holds nothing, nor does it later.", noGhost},
	{"A claim that was granted, and then ends in an error, holds nothing.", grantedThenRefused},
	{"A purge that breaks off leaves each run whole or gone, and the next one takes the rest.", purgeBreaksOff},
}

// RunFaults tests what a store does when something comes between two of its
// statements, or between a statement and its answer.
func RunFaults(t *testing.T, open func(testing.TB, *Wire) Harness) {
	for i, f := range faults {
		t.Run(fmt.Sprintf("%02d %s", len(promises)+i+1, f.text), func(t *testing.T) {
			wire := new(Wire)
			f.test(&suite{TB: t, Harness: open(t, wire)}, wire)
		})
	}
}

// arrangements bring a key to where a claim can be granted, by the statement
// that grants it.
var arrangements = []struct {
	name, verb string
	attempt    int // that the claim gets
	arrange    func(*suite, idem.Key)
}{
	{"new", "INSERT", 1, func(*suite, idem.Key) {}},
	{"due", "UPDATE", 2, states["due"]},
	{"expired", "UPDATE", 2, states["expired"]},
}

func lostClaim(s *suite, wire *Wire) {
	for how, cut := range cuts {
		for _, a := range arrangements {
			for _, passed := range []time.Duration{0, lease / 2, 2 * lease} {
				key := idem.Key(fmt.Sprintf("%s, %s, %v later", how, a.name, passed))
				a.arrange(s, key)
				wire.next(a.verb, func(ctx context.Context, run func(context.Context) error) error {
					defer s.Advance(passed)
					return cut(ctx, run)
				})
				rec := s.hold(key)
				if !wire.met() || rec.Attempt != a.attempt || rec.Remaining != lease {
					s.Errorf("%s: got %s", key, show(rec))
				}
				s.complete(rec.Token(), "result")
			}
		}
	}
}

// writes are what a holder does with its token.
var writes = map[string]func(idem.Store, idem.Token) error{
	"complete": func(store idem.Store, token idem.Token) error {
		return store.Complete(context.Background(), token, idem.Outcome{Status: idem.StatusDone, Result: []byte("result")})
	},
	"fail": func(store idem.Store, token idem.Token) error {
		return store.Complete(context.Background(), token, idem.Outcome{Status: idem.StatusFailed, Error: "no"})
	},
	"release": func(store idem.Store, token idem.Token) error {
		return store.Release(context.Background(), token, idem.Release{Error: "later", Attempts: limit})
	},
	"release of the last attempt": func(store idem.Store, token idem.Token) error {
		return store.Release(context.Background(), token, idem.Release{Error: "no more"})
	},
	"hold": func(store idem.Store, token idem.Token) error {
		return store.Release(context.Background(), token, idem.Release{Delay: lease, Error: "too early", Hold: true})
	},
	"extend": func(store idem.Store, token idem.Token) error {
		return store.Extend(context.Background(), token, 3*lease)
	},
}

func lostWrite(s *suite, wire *Wire) {
	for name, write := range writes {
		for how, cut := range cuts {
			whole, key := idem.Key(name+" uncut, "+how), idem.Key(name+" cut "+how)
			s.must(write(s.Store, s.hold(whole).Token()))
			held := s.hold(key)
			wire.next("UPDATE", cut)
			if err := write(s.Store, held.Token()); err != nil || !wire.met() {
				s.Errorf("%s: %v", key, err)
			}
			want := s.lookup(whole)
			want.Key = key
			if want.Owner != (idem.Owner{}) {
				want.Owner = held.Owner
			}
			s.wantRecord(string(key), s.lookup(key), want)
			s.wantLostMeanwhile(name, write, wire, cut)
		}
	}
}

// overtakings are what may become of a run while the answer to its holder's
// write is lost. Some leave it as a release by the holder would, but for the
// error.
var overtakings = map[string]func(*suite, idem.Key){
	"taken over":     losses["takeover"],
	"and given back": func(s *suite, key idem.Key) { s.release(s.hold(key).Token(), 0, "theirs") },
	"swept":          losses["sweep"],
	"buried":         losses["dead"],
}

// wantLostMeanwhile has the run overtaken while the answer is lost.
func (s *suite) wantLostMeanwhile(name string, write func(idem.Store, idem.Token) error, wire *Wire, cut meeting) {
	s.Helper()
	const key = "overtaken"
	for how, overtake := range overtakings {
		token := s.hold(key).Token()
		s.Advance(lease + tick)
		wire.next("UPDATE", func(ctx context.Context, run func(context.Context) error) error {
			overtake(s, key)
			return cut(ctx, run)
		})
		s.wantLost(fmt.Sprintf("%s, %s", name, how), write(s.Store, token))
		s.remove(key)
	}
}

// remove deletes a run as an operator does.
func (s *suite) remove(key idem.Key) {
	s.Helper()
	s.Exec(s, fmt.Sprintf("DELETE FROM %s WHERE key = '%s'", s.Table, key))
}

// waited lets time pass between the computing of a lease and its granting,
// as a lock does, by losing the answer meanwhile.
func waited(s *suite, wire *Wire) {
	for _, a := range arrangements {
		key := idem.Key("overtaken: " + a.name)
		a.arrange(s, key)
		var other idem.Record
		wire.next(a.verb, func(ctx context.Context, run func(context.Context) error) error {
			s.must(run(ctx))
			s.Advance(lease / 2)
			wire.before("UPDATE", func() { // which is to renew the lease
				s.Advance(lease)
				other = s.hold(key)
			})
			return errCut
		})
		got, err := s.Store.Claim(s.Context(), s.request(key))
		if !wire.met() || !errors.Is(err, idem.ErrLeaseLost) {
			s.Errorf("%s: got %s, %v", key, show(got), err)
		}
		if now := s.lookup(key); now.Owner != other.Owner || now.Attempt != a.attempt+1 {
			s.Errorf("%s: it is %s, want %s", key, show(now), show(other))
		}
	}
}

// purgeBreaksOff cancels a purge as it deletes, and breaks its connection.
func purgeBreaksOff(s *suite, wire *Wire) {
	const runs = 9
	for how, cut := range cuts {
		for n := range runs {
			s.complete(s.hold(idem.Key(fmt.Sprint("notify:", n))).Token(), "result")
		}
		s.Advance(2 * retention)
		ctx, cancel := context.WithCancel(context.Background())
		wire.next("DELETE", func(ctx context.Context, run func(context.Context) error) error {
			defer cancel()
			return cut(ctx, run)
		})
		if n, err := s.Store.Purge(ctx, handler, retention, 99); err == nil || !wire.met() {
			s.Errorf("cut %s: deleted %d, and ended well", how, n)
		}
		left := 0
		for n := range runs {
			switch rec, err := s.Store.Lookup(context.Background(), idem.Key(fmt.Sprint("notify:", n))); {
			case errors.Is(err, idem.ErrNotFound):
			case err != nil || rec.Status != idem.StatusDone || string(rec.Result) != "result":
				s.Errorf("cut %s: run %d is %s, %v", how, n, show(rec), err)
			default:
				left++
			}
		}
		s.purge(retention, 99, left)
		for n := range runs {
			s.wantAbsent(idem.Key(fmt.Sprint("notify:", n)))
		}
	}
}
