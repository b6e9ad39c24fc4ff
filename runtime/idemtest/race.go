package idemtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// Suite is what [Race] has to know of a wrapper. R is the type of the
// handler's result, struct{} if it has none.
//
// Deliveries are numbered: two with one number are of the same event, two
// with different numbers are of different ones.
type Suite[R any] struct {
	Spec      idem.Spec
	Databases []Opener
	// Transactional says that the handler works in the transaction of its run.
	// Its stand-in in Deliver hands that on by [WithTx].
	Transactional bool
	// Key returns the key of the n-th delivery.
	Key func(n int) (idem.Key, error)
	// Deliver calls the wrapper with the arguments of the n-th delivery and
	// with handle in the handler's place.
	Deliver func(ctx context.Context, store idem.Store, n int, handle func(context.Context) (R, error)) (R, error)
	// Batch calls the wrapper for many events with those of some deliveries, and
	// with handle in the handler's place; nil if there is none.
	Batch func(ctx context.Context, store idem.Store, numbers []int, handle func(context.Context) (R, error)) []idem.Delivered[R]
	// Real returns the handler itself, at work on a database that holds the
	// table of runs and nothing else. If it is nil, or returns nil, a
	// stand-in is all that is tested.
	Real func(t testing.TB, db DB) *Real[R]
}

// Real is a handler with the effect that it really has.
type Real[R any] struct {
	// Handle runs the handler for the n-th delivery.
	Handle func(ctx context.Context, n int) (R, error)
	// Effects returns how often the effect of the n-th delivery happened:
	// rows of the handler's table, or calls that a provider's stand-in got.
	Effects func(n int) int
}

// racers is how many deliveries meet, the flag -idem.n.
var racers = racerCount(5)

func init() {
	flag.Var(&racers, "idem.n", "how many deliveries of one event idemtest lets meet, at least 2")
}

type racerCount int

func (c *racerCount) String() string { return strconv.Itoa(int(*c)) }

func (c *racerCount) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 {
		return errors.New("want a number of deliveries, at least 2")
	}
	*c = racerCount(n)
	return nil
}

// Race runs a wrapper through what at-least-once delivery does to it, on an
// empty database for each of these:
//
//   - twice: an event is delivered again after it was handled.
//   - at_once, held: several deliveries of it at the same moment; the flag
//     -idem.n says how many.
//   - crash: the worker dies after the effect and before its result is stored.
//   - zombie: the worker comes back after its lease, when another has done
//     the work.
//   - error, panic, permanent: the handler fails, for now or for good.
//   - unclaimed: the database is down.
//   - other_values, if the wrapper claims with a fingerprint: the event is
//     delivered again with other values under its key.
//   - batch, if there is a wrapper for many events: one of them comes twice, and
//     one was handled before.
//
// Of a transactional handler, a crash leaves nothing at all and nobody becomes a
// zombie; in their place are:
//
//   - lost_commit: the work is committed, and the worker does not get to know.
//   - late: the handler takes longer than its lease.
//
// And after each of these, as much work is committed as runs are done.
//
// Of a handler whose spec is Ordered, deliveries are of one entity, and a greater
// number is a newer version. To it happen, too:
//
//   - older: a version comes behind a newer one.
//   - entity_held: a version comes while another one runs.
//   - shuffled: many come twice each, in any order, to several workers.
//   - entity_crash: the worker dies, and another version comes.
//   - entity_zombie, unless it is transactional: the worker comes back after its
//     lease, when a newer version was applied.
//
// The handler is a stand-in that counts its effects and keeps the keys under
// which a provider would see them. If there is a [Real], the handler itself
// is then delivered twice, at once, and crashed; and it overlaps: the lease
// ends while it runs, and a second worker runs it beside the first.
func Race[R any](t *testing.T, s Suite[R]) {
	t.Helper()
	if len(s.Databases) == 0 {
		t.Fatal("idemtest: the suite names no database")
	}
	if !t.Run("keys", func(t *testing.T) { s.checkKeys(t) }) {
		return // all else would fail for the same reason
	}
	for _, open := range s.Databases {
		t.Run(open(nil).Name(), func(t *testing.T) { s.on(t, open) })
	}
}

// on runs the suite on one kind of database.
func (s Suite[R]) on(t *testing.T, open Opener) {
	for _, sc := range s.scenarios() {
		t.Run(sc.name, func(t *testing.T) { sc.run(&trial[R]{Suite: s, db: open(t)}, t) })
	}
	if s.Real == nil {
		return
	}
	t.Run("real", func(t *testing.T) {
		if s.Real(t, open(t)) == nil {
			t.Skip("the fixture has no real handler: a stand-in was tested in its place")
		}
		for _, sc := range s.realScenarios() {
			t.Run(sc.name, func(t *testing.T) {
				db := open(t)
				sc.run(&trial[R]{Suite: s, db: db, real: s.Real(t, db)}, t)
			})
		}
	})
}

// scenario is one thing that delivery does to a wrapper.
type scenario[R any] struct {
	name string
	run  func(*trial[R], testing.TB)
}

func (s Suite[R]) scenarios() []scenario[R] {
	if s.Transactional {
		return s.txScenarios()
	}
	list := []scenario[R]{
		{"twice", (*trial[R]).twice},
		{"at_once", (*trial[R]).atOnce},
		{"held", (*trial[R]).held},
		{"crash", (*trial[R]).crash},
		{"zombie", (*trial[R]).zombie},
		{"error", (*trial[R]).handlerError},
		{"panic", (*trial[R]).handlerPanic},
		{"permanent", (*trial[R]).permanent},
		{"unclaimed", (*trial[R]).unclaimed},
	}
	if s.hasFingerprint() {
		list = append(list, scenario[R]{"other_values", (*trial[R]).otherValues})
	}
	if s.Batch != nil {
		list = append(list, scenario[R]{"batch", (*trial[R]).batch})
	}
	return append(list, s.orderScenarios()...)
}

func (s Suite[R]) realScenarios() []scenario[R] {
	if s.Transactional {
		return []scenario[R]{
			{"twice", (*trial[R]).realTwice},
			{"at_once", (*trial[R]).realAtOnce},
			{"crash", (*trial[R]).realTxCrash},
		}
	}
	return []scenario[R]{
		{"twice", (*trial[R]).realTwice},
		{"at_once", (*trial[R]).realAtOnce},
		{"crash", (*trial[R]).realCrash},
		{"overlap", (*trial[R]).realOverlap},
	}
}

// checkKeys holds the fixture to what it promises: a number, a key.
func (s Suite[R]) checkKeys(t testing.TB) {
	t.Helper()
	numbers := make(map[idem.Key]int)
	for n := 1; n <= 3; n++ {
		key := s.key(t, n)
		if again := s.key(t, n); again != key {
			t.Fatalf("delivery %d has the key %q, then %q: a key made of time or randomness is no key, it differs on the redelivery", n, key, again)
		}
		if other, taken := numbers[key]; taken {
			t.Fatalf("deliveries %d and %d, of different events, have the same key %q: let %s depend on n", other, n, key, s.args())
		}
		numbers[key] = n
		s.checkValues(t, n)
	}
	s.checkOrder(t)
}

func (s Suite[R]) key(t testing.TB, n int) idem.Key {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("the arguments of delivery %d: %v", n, v)
		}
	}()
	key, err := s.Key(n)
	if errors.Is(err, idem.ErrEmptyKeyPart) {
		t.Fatalf("%v: let %s set it, to something that depends on n", err, s.args())
	}
	if err != nil {
		t.Fatalf("key of delivery %d: %v", n, err)
	}
	return key
}

// trial is one scenario on one database.
type trial[R any] struct {
	Suite[R]
	db   DB
	real *Real[R]
	sent atomic.Int64 // how many messages
}

func (w *trial[R]) deliver(n int, handle func(context.Context) (R, error)) (R, error) {
	return w.Deliver(w.message(n, false), w.db.Store(), n, handle)
}

// message is the context of one more message of the n-th event, as a sender
// sends one that has got no answer.
func (w *trial[R]) message(n int, again bool) context.Context {
	return idem.WithDelivery(context.Background(), idem.Delivery{
		Source:      source,
		MessageID:   fmt.Sprintf("message-%d", w.sent.Add(1)),
		EventID:     fmt.Sprintf("event-%d", n),
		Attempt:     1,
		Redelivered: again,
	})
}

// source is where all deliveries come from.
const source = "idemtest"

// lastAttempt says that the spec lets no attempt follow the first.
func (w *trial[R]) lastAttempt() bool { return w.Spec.Attempts <= 1 }

// snapshot returns the table of runs as text, to the last column.
func (w *trial[R]) snapshot(t testing.TB) string {
	t.Helper()
	return w.rows(t, w.db.Table())
}

// rows returns a table as text, that of the runs or that of the entities.
func (w *trial[R]) rows(t testing.TB, table string) string {
	t.Helper()
	rows, err := w.db.SQL().Query("SELECT * FROM " + table + " ORDER BY key")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		for i, column := range columns {
			text += fmt.Sprintf("%s=%#v ", column, *values[i].(*any))
		}
		text += "\n"
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return text
}
