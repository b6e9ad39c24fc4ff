package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// charge is what a generated wrapper with a fingerprint does.
func charge(ctx context.Context, store idem.Store, key idem.Key, o order, handle func(context.Context) (receipt, error)) (receipt, error) {
	run, err := idem.Claim[receipt](ctx, store, leased, key, idem.WithFingerprint(chargeFingerprint(o)))
	if err != nil {
		return receipt{}, err
	}
	if got, ok := run.Replay(); ok {
		return got, nil
	}
	defer run.Close()
	return run.Complete(handle(run.Context()))
}

func chargeFingerprint(o order) idem.Fingerprint {
	return idem.NewFingerprint(idem.Value("order.Cents", o.Cents), idem.Lower(idem.String("order.Currency", o.Currency)))
}

var tenEuros, tenFrancs = order{Cents: 1000, Currency: "EUR"}, order{Cents: 1000, Currency: "CHF"}

// claimed is the run of a key that was claimed for ten euros.
func claimed(t *testing.T, db idemtest.DB, key idem.Key) idem.Record {
	t.Helper()
	f, err := chargeFingerprint(tenEuros).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	rec, err := db.Store().Claim(t.Context(), idem.ClaimRequest{
		Key: key, Handler: leased.Handler, Owner: idem.NewOwner(), Lease: leased.Lease, Attempts: leased.Attempts, Fingerprint: f,
	})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func complete(outcome idem.Outcome) func(idemtest.DB, idem.Token) error {
	return func(db idemtest.DB, token idem.Token) error {
		return db.Store().Complete(context.Background(), token, outcome)
	}
}

func release(release idem.Release) func(idemtest.DB, idem.Token) error {
	return func(db idemtest.DB, token idem.Token) error {
		return db.Store().Release(context.Background(), token, release)
	}
}

// runStates are all that a duplicate can meet, and what it is told when it has
// the same values; nil if it claims or replays.
var runStates = []struct {
	name   string
	bring  func(idemtest.DB, idem.Token) error
	answer error
}{
	{"running", func(idemtest.DB, idem.Token) error { return nil }, idem.ErrInProgress},
	{"lease over", func(db idemtest.DB, _ idem.Token) error { db.Advance(leased.Lease); return nil }, nil},
	{"waiting", release(idem.Release{Delay: time.Minute, Error: "later", Attempts: 5}), idem.ErrInProgress},
	{"due", release(idem.Release{Error: "now", Attempts: 5}), nil},
	{"done", complete(idem.Outcome{Status: idem.StatusDone, Result: []byte(`{"ID":"m"}`)}), nil},
	{"done without a result", complete(idem.Outcome{Status: idem.StatusDone, Error: "too large"}), idem.ErrResultNotStored},
	{"failed", complete(idem.Outcome{Status: idem.StatusFailed, Error: "no such card"}), idem.ErrFailed},
	{"dead", release(idem.Release{Error: "no more"}), idem.ErrDead},
}

// A duplicate with other values is told so in every state, and nothing else;
// the row stays as it is, to the last byte. One with the same values is
// answered as ever.
func TestOtherValues(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		for _, state := range runStates {
			key := idem.Key("charge:" + state.name)
			if err := state.bring(db, claimed(t, db, key).Token()); err != nil {
				t.Fatal(err)
			}
			before := row(t, db, key)
			for _, again := range []bool{false, true} {
				ctx := idem.WithDelivery(t.Context(), idem.Delivery{Redelivered: again})
				got, err := charge(ctx, db.Store(), key, tenFrancs, func(context.Context) (receipt, error) {
					t.Errorf("%s: the handler ran with other values", state.name)
					return receipt{}, nil
				})
				wantReuse(t, state.name, err)
				if got != (receipt{}) {
					t.Errorf("%s: got the result of other values: %v", state.name, got)
				}
				if now := row(t, db, key); now != before {
					t.Errorf("%s: the row was\n%s\nand is\n%s", state.name, before, now)
				}
			}
			_, err := charge(t.Context(), db.Store(), key, order{Cents: 1000, Currency: "eur"}, work1)
			if !errors.Is(err, state.answer) || errors.Is(err, idem.ErrKeyReuse) {
				t.Errorf("%s, with the same values: error %v; want %v", state.name, err, state.answer)
			}
		}
	})
}

// wantReuse checks that an error says ErrKeyReuse, by which value, and nothing
// that another outcome says.
func wantReuse(t *testing.T, what string, err error) {
	t.Helper()
	var runErr *idem.RunError
	var failed *idem.FailedError
	var busy *idem.InProgressError
	if !errors.As(err, &runErr) || runErr.Err.Error() != "key stands for other work: claimed with another {order.Currency}" {
		t.Errorf("%s: error %v; want a RunError that names the currency", what, err)
	}
	for _, other := range []error{idem.ErrDead, idem.ErrFailed, idem.ErrInProgress, idem.ErrResultNotStored} {
		if errors.Is(err, other) {
			t.Errorf("%s: error %v is %v, too", what, err, other)
		}
	}
	if !errors.Is(err, idem.ErrKeyReuse) || errors.As(err, &failed) || errors.As(err, &busy) {
		t.Errorf("%s: error %#v; want ErrKeyReuse and nothing else", what, err)
	}
}

// row is all of a run's row as text.
func row(t *testing.T, db idemtest.DB, key idem.Key) string {
	t.Helper()
	rows, err := db.SQL().Query("SELECT * FROM job_runs WHERE key = $1", string(key))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		t.Fatalf("%q: no row, or %v", key, errors.Join(err, rows.Err()))
	}
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(any)
	}
	if err := rows.Scan(values...); err != nil {
		t.Fatal(err)
	}
	text := ""
	for i, column := range columns {
		text += fmt.Sprintf("%s=%#v ", column, *values[i].(*any))
	}
	return text
}

// Of deliveries with different values that come together one runs. While it
// does, and when it is done, the others are told that its values are not theirs.
func TestOtherValuesAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		const each = 4
		start, entered, finish := make(chan struct{}), make(chan order, 2*each), make(chan struct{})
		answers := make(chan answerTo, 2*each)
		for i := range 2 * each {
			o := []order{tenEuros, tenFrancs}[i%2]
			go func() {
				<-start
				_, err := charge(t.Context(), db.Store(), "charge:1", o, func(context.Context) (receipt, error) {
					entered <- o
					<-finish
					return receipt{ID: "r"}, nil
				})
				answers <- answerTo{o, err}
			}()
		}
		close(start)
		var winners []order
		var losers []answerTo
		for len(winners)+len(losers) < 2*each {
			select {
			case o := <-entered:
				winners = append(winners, o)
			case a := <-answers:
				losers = append(losers, a)
			}
		}
		close(finish)
		for range winners {
			if a := <-answers; a.err != nil {
				t.Errorf("the winner: %v", a.err)
			}
		}
		if len(winners) != 1 {
			t.Fatalf("%d deliveries were in the handler", len(winners))
		}
		for _, a := range losers {
			want := idem.ErrInProgress
			if a.o.Currency != winners[0].Currency {
				want = idem.ErrKeyReuse
			}
			if !errors.Is(a.err, want) {
				t.Errorf("%s, while the work is done for %s: error %v; want %v", a.o.Currency, winners[0].Currency, a.err, want)
			}
		}
	})
}

type answerTo struct {
	o   order
	err error
}

// Where the directive was changed the values are not compared: a duplicate of
// before the change is answered as ever, and the row stays as it is.
func TestChangedFingerprint(t *testing.T) {
	changed := idem.WithFingerprint(idem.NewFingerprint(idem.Value("order.Cents", 7)))
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		first, err := charge(t.Context(), db.Store(), "charge:1", tenEuros, work1)
		if err != nil {
			t.Fatal(err)
		}
		before := row(t, db, "charge:1")
		for name, opts := range map[string][]idem.ClaimOption{"changed": {changed}, "removed": nil} {
			run, err := idem.Claim[receipt](t.Context(), db.Store(), leased, "charge:1", opts...)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got, ok := run.Replay(); !ok || got != first {
				t.Errorf("%s: got %v, replayed: %v; want %v", name, got, ok, first)
			}
			if now := row(t, db, "charge:1"); now != before {
				t.Errorf("%s: the row was\n%s\nand is\n%s", name, before, now)
			}
		}
	})
}

// A run of before there was a directive gets its values when it is next
// taken, and is held to them from then on.
func TestFingerprintFromTheNextTake(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		w.spec, w.err = leased, errors.New("timeout")
		_, _ = w.deliver(t.Context(), "charge:1") // without
		down := func(context.Context) (receipt, error) { return receipt{}, w.err }
		if _, err := charge(t.Context(), db.Store(), "charge:1", tenEuros, down); !errors.Is(err, w.err) {
			t.Fatalf("the first with values: error %v; want the handler's", err)
		}
		_, err := charge(t.Context(), db.Store(), "charge:1", tenFrancs, work1)
		wantReuse(t, "other values", err)
		if _, err := charge(t.Context(), db.Store(), "charge:1", tenEuros, work1); err != nil {
			t.Errorf("the same values: %v", err)
		}
	})
}
