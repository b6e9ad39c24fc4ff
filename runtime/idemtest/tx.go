package idemtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

type paramTx struct{}

// WithTx is for the stand-in of a handler that takes the transaction of its run:
// that is the one which it works in.
func WithTx(ctx context.Context, tx any) context.Context {
	return context.WithValue(ctx, paramTx{}, tx)
}

// Tx returns the transaction that the wrapper has given to the handler's stand-in,
// for the [Real] handler. T is the type of the handler's parameter.
func Tx[T any](ctx context.Context) T {
	tx, _ := ctx.Value(paramTx{}).(T)
	return tx
}

// write is the work of a stand-in in its transaction.
func (w *trial[R]) write(ctx context.Context) error {
	if !w.Transactional {
		return nil
	}
	return w.db.ExecTx(ctx, ctx.Value(paramTx{}), "INSERT INTO idem_work VALUES ('done')")
}

// together runs a scenario, and then looks whether as much work was committed as
// the table of runs says.
func together[R any](sc scenario[R]) scenario[R] {
	return scenario[R]{sc.name, func(w *trial[R], t testing.TB) {
		t.Helper()
		w.db.Exec(t, "CREATE TABLE idem_work (what text)")
		sc.run(w, t)
		work := w.db.Count(t, "SELECT count(*) FROM idem_work")
		done := w.db.Count(t, fmt.Sprintf("SELECT count(*) FROM %s WHERE status = 'done'", w.db.Table()))
		if work != done {
			t.Fatalf("%d runs are done, and the work of %d was committed: both have to be in the transaction that the handler gets", done, work)
		}
	}}
}

// txScenarios are those of a handler that works in the transaction of its run.
func (s Suite[R]) txScenarios() []scenario[R] {
	list := []scenario[R]{
		{"twice", (*trial[R]).twice},
		{"at_once", (*trial[R]).atOnce},
		{"held", (*trial[R]).held},
		{"crash", (*trial[R]).txCrash},
		{"lost_commit", (*trial[R]).lostCommit},
		{"late", (*trial[R]).late},
		{"error", (*trial[R]).handlerError},
		{"panic", (*trial[R]).handlerPanic},
		{"permanent", (*trial[R]).permanent},
		{"unclaimed", (*trial[R]).unclaimed},
	}
	if s.hasFingerprint() {
		list = append(list, scenario[R]{"other_values", (*trial[R]).txOtherValues})
	}
	list = append(list, s.orderScenarios()...)
	for i, sc := range list {
		list[i] = together(sc)
	}
	return list
}

// txCrash: the worker dies when the work is done and not committed. Nothing of it
// is there, and the next delivery does it.
func (w *trial[R]) txCrash(t testing.TB) {
	t.Helper()
	var e effects
	w.crashed(t, 1, w.work(&e))
	for _, table := range []string{w.db.Table(), "idem_work"} {
		if rows := w.db.Count(t, "SELECT count(*) FROM "+table); rows != 0 {
			t.Fatalf("the worker died before its commit, and %s has %d rows: the claim and the work have to be in one transaction", table, rows)
		}
	}
	got, err := w.deliver(1, w.work(&e))
	wantResult(t, "after the crash", got, err, 2)
	w.wantRun(t, idem.StatusDone, 1)
	got, err = w.deliver(1, w.work(&e))
	wantResult(t, "duplicate of the second run", got, err, 2)
	e.want(t, 2, w.key(t, 1))
}

// lostCommit: the work is committed, and nobody gets to know.
func (w *trial[R]) lostCommit(t testing.TB) {
	t.Helper()
	var e effects
	store := &mortal{Store: w.db.Store(), commits: true}
	_, err := w.Deliver(w.message(1, false), store, 1, func(ctx context.Context) (R, error) {
		defer store.die()
		return w.work(&e)(ctx)
	})
	if err == nil {
		t.Fatal("it is not known whether the work was committed, and the wrapper reports success: return what Commit returns")
	}
	got, err := w.deliver(1, w.work(&e))
	wantResult(t, "after a lost commit", got, err, 1)
	e.want(t, 1, w.key(t, 1))
	w.wantRun(t, idem.StatusDone, 1)
}

// late: a handler outlives its lease. Its key is locked all the same.
func (w *trial[R]) late(t testing.TB) {
	t.Helper()
	var e effects
	got, err := w.deliver(1, func(ctx context.Context) (R, error) {
		if w.db.Name() != "sqlite" { // whose one writer this is
			w.db.Advance(2 * w.Spec.Lease)
		}
		_, err := w.deliver(1, w.work(&e))
		w.wantInProgress(t, "a delivery while the handler runs", err)
		return w.work(&e)(ctx)
	})
	wantResult(t, "the handler that took longer than its lease", got, err, 1)
	e.want(t, 1, w.key(t, 1))
	w.wantRun(t, idem.StatusDone, 1)
}

// txOtherValues: a sender uses the key of one event for another one.
func (w *trial[R]) txOtherValues(t testing.TB) {
	t.Helper()
	var e effects
	down := errors.New("the provider is down")
	_, err := w.deliver(1, func(context.Context) (R, error) {
		var none R
		return none, down
	})
	if !errors.Is(err, down) {
		t.Fatalf("first delivery: got error %v; want the handler's", err)
	}
	w.wantReuse(t, "when the run is to be made again")
	if w.lastAttempt() {
		return
	}
	got, err := w.deliver(1, w.work(&e))
	wantResult(t, "the event itself", got, err, 1)
	w.wantReuse(t, "when the work is done")
	e.want(t, 1, w.key(t, 1))
}

// realTxCrash: what the handler did in its transaction is gone with it.
func (w *trial[R]) realTxCrash(t testing.TB) {
	t.Helper()
	w.crashed(t, 1, w.handler(1))
	if _, err := w.deliver(1, w.handler(1)); err != nil {
		t.Fatalf("the second run, after a crash: %v", err)
	}
	w.wantEffects(t, 1, 1, txCrashCure)
}

const txCrashCure = `the worker died before its commit, so the handler had to run again, and its effect happened again.
What it does in its transaction is rolled back, so this is done elsewhere: work in the transaction that the handler gets, not on the pool; and give a provider the key, by a parameter of type idem.Key`

// txStore is a store's for transactions.
func txStore(store idem.Store) idem.TxStore { return store.(idem.TxStore) }

// ClaimTx implements [idem.TxStore].
func (m *mortal) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	if m.dead.Load() {
		return idem.Record{}, nil, errDied
	}
	rec, tx, err := txStore(m.Store).ClaimTx(ctx, req)
	if tx != nil {
		tx = mortalTx{tx, entitiesOf(tx), m}
	}
	return rec, tx, err
}

// Conflicted implements [idem.TxStore].
func (m *mortal) Conflicted(err error) bool { return txStore(m.Store).Conflicted(err) }

// mortalTx is the transaction of a worker that dies: it is rolled back then, or was
// committed at the last moment.
type mortalTx struct {
	idem.Tx
	idem.Entities // in it, nil if there are none
	of            *mortal
}

func (tx mortalTx) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	if !tx.of.dead.Load() {
		return tx.Tx.Complete(ctx, token, outcome)
	}
	if tx.of.commits {
		return errors.Join(errDied, tx.Tx.Complete(ctx, token, outcome))
	}
	tx.Rollback(ctx)
	return errDied
}

// ClaimTx implements [idem.TxStore].
func (down) ClaimTx(context.Context, idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	return idem.Record{}, nil, errDown
}

// Conflicted implements [idem.TxStore].
func (down) Conflicted(error) bool { return false }

// ClaimTx implements [idem.TxStore].
func (a *asked) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	rec, err := a.Claim(ctx, req)
	return rec, nil, err
}

// Conflicted implements [idem.TxStore].
func (a *asked) Conflicted(error) bool { return false }

// ClaimTx implements [idem.TxStore].
func (o otherwise) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	req.Fingerprint = swapped(req.Fingerprint)
	rec, tx, err := txStore(o.Store).ClaimTx(ctx, req)
	rec.Fingerprint = swapped(rec.Fingerprint)
	return rec, tx, err
}

// Conflicted implements [idem.TxStore].
func (o otherwise) Conflicted(err error) bool { return txStore(o.Store).Conflicted(err) }
