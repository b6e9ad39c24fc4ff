package protocol_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/detached"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// stub is a table whose one row is as Find has it. A write calls the func.
type stub struct {
	protocol.Table
	row      idem.Record
	insert   func(idem.ClaimRequest) (idem.Record, bool, error)
	extend   func() (bool, error)
	complete func(context.Context) (bool, error)
	fate     protocol.Fate
	released []idem.Release
	absent   bool // there is no row
}

func (s *stub) Insert(_ context.Context, req idem.ClaimRequest) (idem.Record, bool, error) {
	if s.insert == nil {
		return idem.Record{}, false, nil
	}
	return s.insert(req)
}

func (s *stub) Find(context.Context, idem.Key) (idem.Record, bool, error) {
	return s.row, !s.absent, nil
}

func (s *stub) Take(context.Context, idem.Record, idem.ClaimRequest, int) (idem.Record, bool, error) {
	return idem.Record{}, false, nil
}

func (s *stub) Bury(context.Context, idem.Record, int) (idem.Record, bool, error) {
	return idem.Record{}, false, nil
}

func (s *stub) Extend(context.Context, idem.Token, time.Duration) (bool, error) { return s.extend() }

func (s *stub) Complete(ctx context.Context, _ idem.Token, _ idem.Outcome) (bool, error) {
	return s.complete(ctx)
}

func (s *stub) Release(_ context.Context, _ idem.Token, rel idem.Release) (bool, error) {
	s.released = append(s.released, rel)
	return true, nil
}

func (s *stub) Fate(error) protocol.Fate { return s.fate }

// A claim that waited was granted before its lease is renewed: whatever comes
// of that, nobody may be left holding the key.
func TestClaimGivesBackWhatItCannotRenew(t *testing.T) {
	for fate, name := range map[protocol.Fate]string{protocol.Unknown: "unknown", protocol.NotNow: "not now", protocol.Refused: "refused"} {
		for _, ends := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					s := &stub{fate: fate}
					s.insert = func(req idem.ClaimRequest) (idem.Record, bool, error) {
						s.row = idem.Record{Key: req.Key, Handler: req.Handler, Status: idem.StatusRunning, Attempt: 1, Owner: req.Owner}
						return s.row, true, nil
					}
					s.extend = func() (bool, error) {
						if ends {
							cancel()
						}
						return false, errDown
					}
					_, err := protocol.Claim(ctx, s, idem.ClaimRequest{Key: "notify:1", Owner: idem.NewOwner(), Lease: time.Minute})
					if !errors.Is(err, errDown) || errors.Is(err, context.Canceled) != ends || len(s.released) != 1 || !s.released[0].Hold {
						t.Errorf("cancelled: %t: got %v, released %v", ends, err, s.released)
					}
				})
			})
		}
	}
}

// A key that only giving it back makes has the values of nobody: no handler ran
// under them.
func TestClaimGivesBackWithoutAFingerprint(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &stub{fate: protocol.Unknown, absent: true}
	var fingerprints [][]byte
	s.insert = func(req idem.ClaimRequest) (idem.Record, bool, error) {
		fingerprints = append(fingerprints, req.Fingerprint)
		if len(fingerprints) == 1 {
			cancel()
			return idem.Record{}, false, errDown
		}
		return idem.Record{Key: req.Key, Status: idem.StatusRunning, Attempt: 1, Owner: req.Owner, Remaining: req.Lease}, true, nil
	}
	_, err := protocol.Claim(ctx, s, idem.ClaimRequest{Key: "notify:1", Owner: idem.NewOwner(), Lease: time.Minute, Fingerprint: []byte("values")})
	if !errors.Is(err, errDown) || len(fingerprints) != 2 || fingerprints[0] == nil || fingerprints[1] != nil || len(s.released) != 1 {
		t.Errorf("got %v; inserted with %q, released %d times", err, fingerprints, len(s.released))
	}
}

// What others have taken since is theirs, and nothing more is asked: what is claimed
// and lost and then answered from another one's run would be two steps in one call.
func TestClaimThatIsLostMeanwhile(t *testing.T) {
	s := &stub{fate: protocol.Unknown}
	inserts := 0
	s.insert = func(req idem.ClaimRequest) (idem.Record, bool, error) {
		inserts++
		return idem.Record{Key: req.Key, Status: idem.StatusRunning, Attempt: 1, Owner: req.Owner}, true, nil
	}
	s.extend = func() (bool, error) { return false, nil }
	rec, err := protocol.Claim(t.Context(), s, idem.ClaimRequest{Key: "notify:1", Owner: idem.NewOwner(), Lease: time.Minute})
	if !errors.Is(err, idem.ErrLeaseLost) || rec.Key != "" || inserts != 1 || len(s.released) != 0 {
		t.Errorf("got %+v, %v after %d inserts, released %d times", rec, err, inserts, len(s.released))
	}
}

// Nor is one that was lost while its lease was to be extended answered from another
// one's run.
func TestClaimThatIsLostAsItIsExtended(t *testing.T) {
	for _, fate := range []protocol.Fate{protocol.NotNow, protocol.Unknown} {
		synctest.Test(t, func(t *testing.T) {
			s := &stub{fate: fate}
			s.insert = func(req idem.ClaimRequest) (idem.Record, bool, error) {
				return idem.Record{Key: req.Key, Status: idem.StatusRunning, Attempt: 1, Owner: req.Owner}, true, nil
			}
			s.extend = func() (bool, error) {
				s.row = idem.Record{Key: "notify:1", Status: idem.StatusDone, Attempt: 2, Owner: idem.NewOwner(), Result: []byte("theirs")}
				return false, errDown
			}
			rec, err := protocol.Claim(t.Context(), s, idem.ClaimRequest{Key: "notify:1", Owner: idem.NewOwner(), Lease: time.Minute})
			if !errors.Is(err, idem.ErrLeaseLost) || rec.Key != "" || len(s.released) != 0 {
				t.Errorf("got %+v, %v, released %d times", rec, err, len(s.released))
			}
		})
	}
}

// A process that is paused behind the database's answer finds out whether it has the key
// still, whatever it was told.
func TestClaimOfAPausedProcess(t *testing.T) {
	for _, still := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			const lease = time.Minute
			s := new(stub)
			s.insert = func(req idem.ClaimRequest) (idem.Record, bool, error) {
				asked := time.Now()
				time.Sleep(time.Hour)
				return idem.Record{Key: req.Key, Status: idem.StatusRunning, Attempt: 1, Owner: req.Owner, Remaining: lease, Asked: asked}, true, nil
			}
			s.extend = func() (bool, error) { return still, nil }
			rec, err := protocol.Claim(t.Context(), s, idem.ClaimRequest{Key: "notify:1", Owner: idem.NewOwner(), Lease: lease})
			if still && (err != nil || rec.Remaining != lease || !rec.Asked.Equal(time.Now())) || !still && !errors.Is(err, idem.ErrLeaseLost) {
				t.Errorf("the key its own still: %t: got %+v, %v", still, rec, err)
			}
		})
	}
}

// looker sees under which contexts a run is looked at.
type looker struct {
	stub
	looked []context.Context
}

func (l *looker) Find(ctx context.Context, key idem.Key) (idem.Record, bool, error) {
	l.looked = append(l.looked, ctx)
	return l.stub.Find(ctx, key)
}

// A holder's look goes together with looks that have no limit, so it keeps to its own.
func TestALookHasALimit(t *testing.T) {
	l := new(looker)
	l.complete = func(context.Context) (bool, error) { return false, nil }
	ctx := detached.New(t.Context(), time.Minute)
	defer ctx.End()
	err := protocol.Complete(ctx, l, idem.Token{Key: "notify:1", Attempt: 1}, idem.Outcome{Status: idem.StatusDone})
	if !errors.Is(err, idem.ErrLeaseLost) || len(l.looked) != 1 {
		t.Fatalf("got %v after %d looks", err, len(l.looked))
	}
	if _, watched := l.looked[0].(*detached.Context); watched || l.looked[0].Done() == nil {
		t.Error("the look's context ends nothing")
	}
}

// A run that others are always quicker to change is in progress.
func TestClaimThatIsAlwaysLate(t *testing.T) {
	for _, attempts := range []int{1, 9} { // to be buried, or taken
		s := &stub{row: idem.Record{Key: "notify:1", Status: idem.StatusRunning, Owner: idem.NewOwner(), Attempt: 4, Remaining: -1}}
		req := idem.ClaimRequest{Key: "notify:1", Owner: idem.NewOwner(), Lease: time.Minute, Attempts: attempts}
		rec, err := protocol.Claim(t.Context(), s, req)
		if err != nil || rec.Token() != s.row.Token() {
			t.Errorf("of %d attempts: got %+v, %v", attempts, rec, err)
		}
	}
}

// A statement that hangs is asked again, and not when all time is used up.
func TestHangingWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := &stub{complete: func(ctx context.Context) (bool, error) {
			if asked++; asked <= 2 {
				<-ctx.Done()
				return false, ctx.Err()
			}
			return true, nil
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		start := time.Now()
		err := protocol.Complete(ctx, s, idem.Token{}, idem.Outcome{Status: idem.StatusDone})
		if took := time.Since(start); err != nil || took > 12*time.Second {
			t.Errorf("got %v after %v", err, took)
		}
	})
}

func TestDurations(t *testing.T) {
	const year = 365 * 24 * time.Hour
	cases := []struct {
		d    time.Duration
		want int64
	}{
		{0, 0}, {1, 1}, {time.Millisecond, 1}, {time.Millisecond + 1, 2}, {-1, 0}, {-time.Millisecond, -1},
		{99 * year, int64(99 * year / time.Millisecond)},
		{math.MaxInt64, int64(100 * year / time.Millisecond)},
		{math.MinInt64, -int64(100 * year / time.Millisecond)},
	}
	for _, c := range cases {
		if got := protocol.Units(c.d, time.Millisecond); got != c.want {
			t.Errorf("%v: got %d, want %d", c.d, got, c.want)
		}
	}
	for units, want := range map[int64]time.Duration{
		7: 7 * time.Millisecond, -7: -7 * time.Millisecond, math.MaxInt64: 100 * year, math.MinInt64: -100 * year,
	} {
		if got := protocol.Duration(units, time.Millisecond); got != want {
			t.Errorf("%d: got %v, want %v", units, got, want)
		}
	}
}
