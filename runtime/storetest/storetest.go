package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// Harness is a store over an empty table that nobody else uses.
type Harness struct {
	Store idem.Store
	// Advance moves the store's clock, which otherwise stands still.
	Advance func(time.Duration)
	// Table is the name of the table of runs, for Exec.
	Table string
	// Exec runs a statement that both dialects understand, and Count returns
	// the one number that a query yields.
	Exec  func(t testing.TB, query string, args ...any)
	Count func(t testing.TB, query string, args ...any) int
}

// promise is a test of the contract. Its number is its place in the list.
type promise struct {
	text string
	test func(*suite)
}

// promises lists them as doc.go does.
var promises = []promise{
	{"A new key is the caller's: running, attempt 1, with its whole lease.", newKey},
	{"While a lease is in force, others are told what remains of it, and change nothing.", inForce},
	{"Of concurrent claims of one key exactly one holds it.", oneWinner},
	{"Keys are compared byte for byte, up to 200 bytes.", distinctKeys},
	{"An owner that asks again gets its own claim, the same attempt, with its whole lease.", ownClaim},
	{"A lease that is over by 1 ms can be taken over, one in force for 1 ms more cannot.", takeover},
	{"A waiting run is claimed when it is due, not 1 ms before, under the attempt it waits with.", waitingDue},
	{"A run whose attempts are used up is dead, by takeover, release or claim; holds do not count.", usedUp},
	{"A dead run stays dead.", deadStays},
	{"The run of another handler is returned untouched, whatever its state.", otherHandler},
	{"A claim that is known to be a redelivery gets the same answers.", redelivered},
	{"A claim whose context has ended holds nothing and leaves nothing.", endedContext},
	{"A run that was claimed with other values is returned untouched, whatever its state.", otherValues},
	{"Values are compared if the run and the claim both have some, of one definition, and not otherwise.", notCompared},
	{"A run keeps the fingerprint of the first claim that was granted and had one.", firstFingerprint},
	{"Of concurrent claims with different values one holds the key, and the others meet its values.", oneOfTheValues},

	{"A result comes back byte for byte, and no result is told from an empty one.", exactBytes},
	{"A finished run never changes: every duplicate gets the same.", finishedStays},
	{"Completing again with the same token is no error, and the first outcome stands.", completeAgain},
	{"Who has lost the run gets ErrLeaseLost for every write, and the row is as others left it.", leaseLost},
	{"A write needs the owner and the attempt and a running row, all of them.", fence},
	{"A holder whose lease is over, but whom nobody followed, still holds.", lateHolder},
	{"Extend makes the lease end a duration from now.", extend},
	{"A released run waits out its delay under the next attempt and keeps the error's text.", release},
	{"A token of a key without a run gets ErrLeaseLost, and no row appears.", noRun},
	{"A run ends as done, failed or stale only.", outcomes},

	{"A sweep makes every run whose lease is over wait, due now, under the next attempt, and no other.", sweep},
	{"A sweep takes the oldest first, at most its limit, and comes to the last.", sweepOrder},
	{"A sweep never undoes a completion beside it.", sweepBeside},
	{"A purge deletes what was finished, or due and left, longer ago than retain, and nothing else.", purge},
	{"A purge deletes of one handler, at most its limit, and comes to the last; the key is then new.", purgeLimit},
	{"A lookup changes nothing, and of no run is ErrNotFound.", lookup},

	{"After any sequence of calls the row is as the protocol says; attempts only grow.", anySequence},
}

// Run tests a store, each promise on a harness of its own.
func Run(t *testing.T, open func(testing.TB) Harness) {
	for i, p := range promises {
		t.Run(fmt.Sprintf("%02d %s", i+1, p.text), func(t *testing.T) {
			t.Parallel()
			p.test(&suite{TB: t, Harness: open(t)})
		})
	}
}

const (
	handler = "notify"
	lease   = time.Minute
	limit   = 3 // attempts
	tick    = time.Millisecond

	retention = 20 * lease
	years     = 50 * 365 * 24 * time.Hour
)

// suite is a test with its harness, and the calls that tests make.
type suite struct {
	testing.TB
	Harness
	fingerprint []byte // of what claim and hold ask for
}

// request asks for a key as a delivery of its own would.
func request(key idem.Key) idem.ClaimRequest {
	return idem.ClaimRequest{Key: key, Handler: handler, Owner: idem.NewOwner(), Lease: lease, Attempts: limit}
}

// request is one with the suite's fingerprint.
func (s *suite) request(key idem.Key) idem.ClaimRequest {
	req := request(key)
	req.Fingerprint = s.fingerprint
	return req
}

func (s *suite) ask(req idem.ClaimRequest) idem.Record {
	s.Helper()
	rec, err := s.Store.Claim(context.Background(), req)
	if err != nil {
		s.Fatalf("claim %q: %v", req.Key, err)
	}
	return rec
}

func (s *suite) claim(key idem.Key) idem.Record {
	s.Helper()
	return s.ask(s.request(key))
}

// hold claims a key that has to be granted.
func (s *suite) hold(key idem.Key) idem.Record {
	s.Helper()
	req := s.request(key)
	rec := s.ask(req)
	if !rec.HeldBy(req.Owner) {
		s.Fatalf("claim %q: not granted: %s", key, show(rec))
	}
	return rec
}

func (s *suite) complete(token idem.Token, result string) {
	s.Helper()
	s.must(s.Store.Complete(context.Background(), token, idem.Outcome{Status: idem.StatusDone, Result: []byte(result)}))
}

func (s *suite) release(token idem.Token, delay time.Duration, text string) {
	s.Helper()
	s.must(s.Store.Release(context.Background(), token, idem.Release{Delay: delay, Error: text, Attempts: limit}))
}

func (s *suite) sweep(limit, want int) {
	s.Helper()
	n, err := s.Store.Sweep(context.Background(), limit)
	s.must(err)
	if n != want {
		s.Fatalf("sweep of at most %d reset %d runs, want %d", limit, n, want)
	}
}

func (s *suite) purge(retain time.Duration, limit, want int) {
	s.Helper()
	n, err := s.Store.Purge(context.Background(), handler, retain, limit)
	s.must(err)
	if n != want {
		s.Fatalf("purge of at most %d of %s deleted %d runs, want %d", limit, handler, n, want)
	}
}

func (s *suite) sweepAll() {
	s.Helper()
	_, err := s.Store.Sweep(context.Background(), 99)
	s.must(err)
}

func (s *suite) purgeAll() {
	s.Helper()
	_, err := s.Store.Purge(context.Background(), handler, retention, 99)
	s.must(err)
}

func (s *suite) lookup(key idem.Key) idem.Record {
	s.Helper()
	rec, err := s.Store.Lookup(context.Background(), key)
	if err != nil {
		s.Fatalf("lookup %q: %v", key, err)
	}
	return rec
}

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) wantLost(what string, err error) {
	s.Helper()
	if !errors.Is(err, idem.ErrLeaseLost) {
		s.Errorf("%s: got %v, want ErrLeaseLost", what, err)
	}
}

// wantAbsent checks that a key has no run.
func (s *suite) wantAbsent(key idem.Key) {
	s.Helper()
	if rec, err := s.Store.Lookup(context.Background(), key); !errors.Is(err, idem.ErrNotFound) {
		s.Errorf("lookup %q: got %s, %v, want ErrNotFound", key, show(rec), err)
	}
}

// wantRecord compares all that the store tells, but for Asked, which is the
// worker's own time.
func (s *suite) wantRecord(what string, got, want idem.Record) {
	s.Helper()
	if show(got) != show(want) {
		s.Errorf("%s:\n got %s\nwant %s", what, show(got), show(want))
	}
}

// show writes a record so that nil differs from empty.
func show(rec idem.Record) string {
	result := "none"
	if rec.Result != nil {
		result = fmt.Sprintf("%.80q", rec.Result)
	}
	return fmt.Sprintf("%q of %s: %s, attempt %d, holds %d, owner %s, result %s, error %q, remaining %v, fingerprint %x",
		string(rec.Key), rec.Handler, rec.Status, rec.Attempt, rec.Holds, rec.Owner, result, rec.Error, rec.Remaining, rec.Fingerprint)
}
