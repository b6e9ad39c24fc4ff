package idemtest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

type (
	handler = func(context.Context, event) (receipt, error)
	wrapper = func(context.Context, idem.Store, event, handler) (receipt, error)
	fault   = func(*idemtest.Suite[receipt], idemtest.DB)
)

// TestBroken puts faults into a wrapper, a store, a fixture or a handler, and
// checks that the scenario which is there for it fails, and says why.
func TestBroken(t *testing.T) {
	tests := []struct {
		fault     string
		scenarios string // that have to fail
		says      string
		put       fault
	}{
		{"wrapper never claims", "twice at_once", "the handler ran", wrapped(neverClaims)},
		{"wrapper never claims", "held", "workers were in the handler at the same time", wrapped(neverClaims)},
		{"wrapper never claims", "error panic", "has to get the run's context and key", wrapped(neverClaims)},
		{"wrapper never claims", "crash", "return what Complete returns", wrapped(neverClaims)},
		{"wrapper never claims", "zombie", "want idem.ErrLeaseLost", wrapped(neverClaims)},
		{"wrapper ignores a replay", "twice crash zombie", "got the result", wrapped(replaysZero)},
		{"wrapper hands its own context on", "twice at_once crash", "has to get the run's context and key", wrapped(ownContext)},
		{"wrapper does not close", "panic", "in progress", wrapped(neverCloses)},
		{"wrapper swallows a panic", "panic", "the wrapper with <nil>", wrapped(swallowsPanics)},
		{"wrapper completes in spite of an error", "error", "second delivery: got the result", wrapped(completesErrors)},
		{"wrapper does not tell that completing failed", "crash", "return what Complete returns", wrapped(hidesCompletion)},
		{"wrapper does not tell that the lease is lost", "zombie", "want idem.ErrLeaseLost", wrapped(hidesCompletion)},
		{"wrapper uses another key than the key function", "twice", "provider saw the key", wrapped(otherKey)},
		{"wrapper uses another key than the key function", "crash", "the one row is of another key", wrapped(otherKey)},
		{"wrapper hides what Claim returns", "permanent unclaimed other_values", "got error <nil>", wrapped(hidesClaim)},
		{"wrapper never claims", "permanent", "want the handler's, in an *idem.FailedError", wrapped(neverClaims)},
		{"wrapper never claims", "unclaimed", "want the store's", wrapped(neverClaims)},
		{"wrapper runs the handler without a claim", "unclaimed", "the handler ran 1 times without a claim", wrapped(runsUnclaimed)},
		{"wrapper gives the handler another key", "twice crash", "a provider saw the key", handing(func(ctx context.Context) context.Context {
			return idemtest.WithKey(ctx, "notify:other")
		})},
		{"wrapper gives the handler an empty delivery", "twice crash", "the handler saw the delivery", handing(func(ctx context.Context) context.Context {
			return idemtest.WithDelivery(ctx, idem.Delivery{})
		})},
		{"wrapper gives the handler the context of another delivery", "twice crash", "the handler saw the delivery", handing(func(ctx context.Context) context.Context {
			return idem.WithDelivery(ctx, idem.Delivery{Source: "elsewhere"})
		})},
		{"wrapper replays nothing to what is known to be a redelivery", "twice", "third delivery, known to be a redelivery: got the result", wrapped(replaysZeroAgain)},
		{"wrapper runs the handler for other values", "other_values", "the handler ran", wrapped(runsUnclaimed)},
		{"store does not compare values", "other_values", "while the lease is in force: got error", stored(uncomparing)},
		{"store takes over a run of other values", "other_values", "when the lease is over: got error", stored(takingOver)},
		{"store replays a run of other values", "other_values", "when the work is done: got error", stored(replaying)},
		{"store forgets a run's values", "other_values", "changed the run", stored(unlearning)},
		{"fixture of time", "keys", "let the fixture's arguments depend on n alone", wrapped(timely)},
		{"fixture without JSON", "keys", "{event.Rate}: json: unsupported value: NaN: let the fixture's arguments set it to what JSON can hold", wrapped(rateless)},
		{"wrapper uses one key for all", "twice", "another event", wrapped(oneKey)},
		{"store does not fence completion", "zombie", "want idem.ErrLeaseLost", stored(unfenced)},
		{"store fences completion, but touches the row", "zombie", "changed the run", stored(touching)},
		{"store lets two in", "held", "workers were in the handler at the same time", stored(lettingIn)},
		{"store runs what is done", "twice", "the handler ran 3 times", stored(forgetful)},
		{"store changes the result", "twice", "got the result", stored(lossy)},
		{"store lets leases last twice as long", "crash zombie", "after the lease", stored(long)},
		{"store lets leases end early", "crash", "before the lease is over", stored(short)},
		{"store gives every attempt the number 1", "crash error panic", "at attempt 1; want done of notify at attempt 2", stored(countless)},
		{"store keeps another row", "twice at_once held crash", "has 2 rows", stored(littering)},
		{"store of another handler's runs", "twice", "want done of notify", func(s *idemtest.Suite[receipt], _ idemtest.DB) {
			s.Deliver = deliver(notifyOnceWith(idem.Spec{Handler: "other", Lease: time.Minute, Attempts: 3}))
		}},
		{"key of time", "keys", "a key made of time or randomness is no key", keyed(func(int) (idem.Key, error) {
			return idem.Key(time.Now().String()), nil
		})},
		{"key of nothing", "keys", "depend on n", keyed(func(int) (idem.Key, error) { return "notify:1", nil })},
		{"fixture without values", "keys", "{event.ID}: empty key part: let the fixture's arguments set it", keyed(func(int) (idem.Key, error) {
			return notifyKey(event{})
		})},
		{"key that cannot be made", "keys", "key of delivery 1: no", keyed(func(int) (idem.Key, error) { return "", errors.New("no") })},
		{"handler that does not dedupe", "real/crash", "ON CONFLICT DO NOTHING", func(s *idemtest.Suite[receipt], _ idemtest.DB) { s.Real = piling }},
		{"handler that looks and then writes", "real/overlap", "both look before either has done it", func(s *idemtest.Suite[receipt], _ idemtest.DB) { s.Real = looking }},
		{"handler that works alone only", "real/overlap", "the second not beside another", func(s *idemtest.Suite[receipt], _ idemtest.DB) { s.Real = lonely }},
		{"handler whose row is there", "real/crash", "INSERT ... ON CONFLICT DO NOTHING, and return", func(s *idemtest.Suite[receipt], _ idemtest.DB) { s.Real = refusing }},
		{"fixture that panics", "keys", "the arguments of delivery 1: set event.ID", keyed(func(int) (idem.Key, error) { panic("set event.ID") })},
		{"handler without a wrapper", "real/twice real/at_once", "want 1", func(s *idemtest.Suite[receipt], _ idemtest.DB) {
			s.Real = piling
			s.Deliver = deliver(neverClaims)
		}},
		{"fixture that counts all rows", "real/twice", "want 1", realWith(func(db idemtest.DB, real *idemtest.Real[receipt]) {
			real.Effects = func(int) int { return countAll(db) }
		})},
		{"fixture that counts nothing", "real/twice", "has to count what the handler does", realWith(func(_ idemtest.DB, real *idemtest.Real[receipt]) {
			real.Effects = func(int) int { return 0 }
		})},
		{"handler whose second delivery differs", "real/twice", "got the result", func(s *idemtest.Suite[receipt], _ idemtest.DB) {
			s.Real = deduping
			s.Deliver = deliver(replaysZero)
		}},
		{"handler that fails", "real/twice real/at_once real/crash", "not today", realWith(func(_ idemtest.DB, real *idemtest.Real[receipt]) {
			real.Handle = func(context.Context, int) (receipt, error) { return receipt{}, errors.New("not today") }
		})},
	}
	for _, tt := range tests {
		for _, open := range databases(t) {
			for name := range strings.FieldsSeq(tt.scenarios) {
				t.Run(tt.fault+"/"+open(nil).Name()+"/"+name, func(t *testing.T) {
					t.Parallel()
					s, db := suite(t, notifySpec), open(t)
					tt.put(&s, db)
					got := idemtest.Try(t, s, db, name)
					if got == "" {
						t.Fatal("the scenario passed")
					}
					if !strings.Contains(got, tt.says) {
						t.Fatalf("the scenario failed with\n%s\nwant %q", got, tt.says)
					}
				})
			}
		}
	}
}

func TestRacersFlag(t *testing.T) {
	for text, ok := range map[string]bool{"2": true, "64": true, "1": false, "0": false, "-3": false, "many": false, "": false} {
		if err := idemtest.SetRacers(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func deliver(w wrapper) func(context.Context, idem.Store, int, func(context.Context) (receipt, error)) (receipt, error) {
	return func(ctx context.Context, store idem.Store, n int, handle func(context.Context) (receipt, error)) (receipt, error) {
		return w(ctx, store, notifyArgs(n), func(ctx context.Context, _ event) (receipt, error) { return handle(ctx) })
	}
}

func wrapped(w wrapper) fault {
	return func(s *idemtest.Suite[receipt], _ idemtest.DB) { s.Deliver = deliver(w) }
}

// handing changes what the handler is given.
func handing(change func(context.Context) context.Context) fault {
	return func(s *idemtest.Suite[receipt], _ idemtest.DB) {
		right := s.Deliver
		s.Deliver = func(ctx context.Context, store idem.Store, n int, handle func(context.Context) (receipt, error)) (receipt, error) {
			return right(ctx, store, n, func(ctx context.Context) (receipt, error) { return handle(change(ctx)) })
		}
	}
}

func keyed(key func(int) (idem.Key, error)) fault {
	return func(s *idemtest.Suite[receipt], _ idemtest.DB) { s.Key = key }
}

var piling = rows("CREATE TABLE notifications (event text)", "INSERT INTO notifications VALUES ($1)")

var refusing = rows("CREATE TABLE notifications (event text PRIMARY KEY)", "INSERT INTO notifications VALUES ($1)")

// looking is a handler that asks whether its row is there before it writes
// it. Two of them ask before either writes.
func looking(t testing.TB, db idemtest.DB) *idemtest.Real[receipt] {
	real := piling(t, db)
	insert := real.Handle
	both := sync.WaitGroup{}
	both.Add(2)
	real.Handle = func(ctx context.Context, n int) (receipt, error) {
		var there int
		err := db.SQL().QueryRowContext(ctx, "SELECT count(*) FROM notifications WHERE event = $1", notifyArgs(n).ID).Scan(&there)
		if err != nil || there > 0 {
			return receipt{MessageID: "m", Sent: n}, err
		}
		both.Done()
		both.Wait()
		return insert(ctx, n)
	}
	return real
}

// lonely is a handler that fails when another one runs beside it.
func lonely(t testing.TB, db idemtest.DB) *idemtest.Real[receipt] {
	real := deduping(t, db)
	real.Handle = func(context.Context, int) (receipt, error) { return receipt{}, errors.New("not beside another") }
	return real
}

func realWith(change func(idemtest.DB, *idemtest.Real[receipt])) fault {
	return func(s *idemtest.Suite[receipt], _ idemtest.DB) {
		s.Real = func(t testing.TB, db idemtest.DB) *idemtest.Real[receipt] {
			real := deduping(t, db)
			change(db, real)
			return real
		}
	}
}

func countAll(db idemtest.DB) int {
	var n int
	_ = db.SQL().QueryRow("SELECT count(*) FROM notifications").Scan(&n) // 0 fails the scenario too
	return n
}
