package idemtest

import (
	"context"
	"errors"
	"slices"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// asked is a store that grants nothing: it keeps the first claim, and tells
// every other one that this is the run's.
type asked struct {
	idem.Store
	noEntities
	first idem.ClaimRequest
}

func (a *asked) Claim(_ context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if a.first.Key == "" {
		a.first = req
		return idem.Record{}, errDown
	}
	return idem.Record{
		Key: req.Key, Handler: a.first.Handler, Status: idem.StatusRunning, Attempt: 1,
		Owner: a.first.Owner, Fingerprint: a.first.Fingerprint,
	}, nil
}

// ask delivers the n-th event for nothing but its claim.
func (s Suite[R]) ask(store *asked, n int) error {
	_, err := s.Deliver(context.Background(), store, n, func(context.Context) (R, error) {
		return sample[R](n), nil
	})
	return err
}

func (s Suite[R]) hasFingerprint() bool {
	store := &asked{}
	_ = s.ask(store, 1) // the store's error
	return len(store.first.Fingerprint) > 0
}

// checkValues holds the fixture to what it promises: a number, an event, with
// all its values.
func (s Suite[R]) checkValues(t testing.TB, n int) {
	t.Helper()
	store := &asked{}
	var unfit *idem.KeyError
	if err := s.ask(store, n); errors.As(err, &unfit) && unfit.Fingerprint {
		t.Fatalf("%v: let %s set it to what JSON can hold", err, s.args())
	}
	if err := s.ask(store, n); errors.Is(err, idem.ErrKeyReuse) {
		t.Fatalf("delivery %d has other values the second time: %v: let %s depend on n alone, not on time or chance", n, err, s.args())
	}
}

// otherwise is a store that keeps another value than the wrapper claims with.
type otherwise struct {
	idem.Store
	idem.Entities // the store's, nil if it has none
}

func (o otherwise) Claim(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
	req.Fingerprint = swapped(req.Fingerprint)
	rec, err := o.Store.Claim(ctx, req)
	rec.Fingerprint = swapped(rec.Fingerprint)
	return rec, err
}

// swapped is the fingerprint of another value for the last one.
func swapped(fingerprint []byte) []byte {
	other := slices.Clone(fingerprint)
	if last := len(other) - 1; last >= 0 {
		other[last] ^= 1
	}
	return other
}

// otherValues: a sender uses the key of one event for another one. It is told
// so, whatever became of the first.
func (w *trial[R]) otherValues(t testing.TB) {
	t.Helper()
	var e effects
	w.crashed(t, 1, w.work(&e))
	w.wantReuse(t, "while the lease is in force")
	w.db.Advance(w.Spec.Lease)
	w.wantReuse(t, "when the lease is over")
	got, err := w.deliver(1, w.work(&e))
	if w.lastAttempt() {
		w.wantDead(t, err)
		w.wantReuse(t, "when the run is dead")
		return
	}
	wantResult(t, "the event itself", got, err, 2)
	w.wantReuse(t, "when the work is done")
	got, err = w.deliver(1, w.work(&e))
	wantResult(t, "a duplicate", got, err, 2)
	e.want(t, 2, w.key(t, 1))
}

// wantReuse delivers other values, which nothing may come of.
func (w *trial[R]) wantReuse(t testing.TB, when string) {
	t.Helper()
	var e effects
	before := w.snapshot(t)
	_, err := w.Deliver(w.message(1, false), otherwise{w.db.Store(), entitiesOf(w.db.Store())}, 1, w.work(&e))
	if !errors.Is(err, idem.ErrKeyReuse) {
		t.Fatalf("other values %s: got error %v; want idem.ErrKeyReuse", when, err)
	}
	if n := e.count(); n > 0 {
		t.Fatalf("other values %s: the handler ran", when)
	}
	if after := w.snapshot(t); after != before {
		t.Fatalf("other values %s changed the run: it was\n%s\nand is\n%s", when, before, after)
	}
}
