package runtime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// TxStore is a [Store] for handlers that work in the transaction of their own
// claim.
type TxStore interface {
	Store
	// ClaimTx is Claim in a transaction that it begins. The Tx is open if the
	// caller holds the run, and nil otherwise. Others see the run as it was
	// until the transaction is committed. They wait for it, but not for long:
	// ClaimTx then returns a running run of attempt 0, whose Remaining is the
	// time that it has waited.
	ClaimTx(ctx context.Context, req ClaimRequest) (Record, Tx, error)
	// Conflicted reports whether an error says that the database could not
	// serialize a transaction, so that all of it has to be done again.
	Conflicted(err error) bool
}

// Tx is the transaction in which a run is held. It ends by one of Complete,
// Release and Rollback, and gives its connection back then, whatever they return.
type Tx interface {
	// Handle is what the handler gets: a pgx.Tx, or a *sql.Tx.
	Handle() any
	// Complete ends the run that the token holds and commits. An error says
	// that nothing of the transaction stays, unless its text says that this
	// could not be found out.
	Complete(ctx context.Context, token Token, outcome Outcome) error
	// Release gives the run back, as a Store does, and commits.
	Release(ctx context.Context, token Token, release Release) error
	// Rollback leaves everything as it was before the claim.
	Rollback(ctx context.Context)
}

// TxRun is a [Run] that is held in a transaction of type T: what the handler
// does in it, the claim and the result are committed together, or not at all.
type TxRun[T, R any] struct {
	*Run[R]
	hold    *txHold
	caller  context.Context
	options claimOptions
}

// ClaimTx is [Claim] for a handler that works in a transaction of type T. The
// store has to be a [TxStore], such as a *pgstore.Store, where T is pgx.Tx. The
// run it returns replays a stored result, or has to be committed by
// [TxRun.Commit].
//
// A delivery whose key another one holds waits for it, up to the store's lock
// timeout: it replays the result if the other one commits, and holds the key
// if that is rolled back. The errors are those of Claim.
func ClaimTx[T, R any](ctx context.Context, store Store, spec Spec, key Key, opts ...ClaimOption) (*TxRun[T, R], error) {
	store, settings := configuration(store)
	txStore, ok := store.(TxStore)
	if !ok {
		return nil, spec.wrap("claim", key, fmt.Errorf("a %T begins no transactions", store))
	}
	settings.noHeartbeat = true // the row is locked
	hold := &txHold{TxStore: txStore}
	run, o, err := claimRun[R](ctx, hold, settings, spec, key, opts)
	if err != nil {
		return nil, err
	}
	r := &TxRun[T, R]{run, hold, ctx, o}
	if run.state == held {
		if _, ok := hold.tx.Handle().(T); !ok {
			return nil, r.unfit()
		}
	}
	return r, nil
}

// unfit gives back a run whose transaction the handler cannot take.
func (r *TxRun[T, R]) unfit() error {
	defer r.letGo()()
	r.hold.tx.Rollback(r.caller)
	var want *T
	err := r.spec.wrap("claim", r.Key(), fmt.Errorf("the store's transactions are of type %T, and the handler takes another: %T points to one", r.hold.tx.Handle(), want))
	r.watch.ended(&r.ctx, AnswerUnknown, err)
	return err
}

const (
	// maxConflicts bounds the transactions in which one delivery tries its work.
	maxConflicts  = 5
	conflictPause = 10 * time.Millisecond
)

// Commit does the work in the transaction, and ends both as [Run.Complete] says.
//
//   - No error: the run is done, the result is stored, and the transaction is
//     committed. If that cannot be, the commit's error is the work's.
//   - An error, a panic, or the end of the goroutine: the transaction is rolled
//     back. What it comes to is then recorded in a transaction of its own. If
//     another delivery has the key by then, nothing is recorded and the error
//     wraps [ErrLeaseLost], too.
//   - An error, of the work or the commit, by which the database could not
//     serialize the transaction: it is rolled back, and the claim and the work
//     are done again in another one, up to five times in all.
//
// So the work may be done more than once in a delivery, but once only is it
// committed. Its context ends when the lease does, which nobody extends.
func (r *TxRun[T, R]) Commit(work func(ctx context.Context, tx T) (R, error)) (R, error) {
	for {
		result, conflict, err := r.try(work)
		if !conflict {
			return result, err
		}
		if err := r.again(); err != nil || r.state == replayed {
			return r.result, err
		}
	}
}

// try does the work once. It reports a conflict if that is worth another try, for
// which nothing is left of this one.
func (r *TxRun[T, R]) try(work func(context.Context, T) (R, error)) (result R, conflict bool, err error) {
	run := r.Run
	defer run.Close()
	result, err = work(&run.ctx, r.hold.tx.Handle().(T))
	if err == nil {
		if err = run.end(run.outcome(&result)); err == nil {
			return result, false, run.done(nil)
		}
	}
	if r.hold.worthAnother(r.caller, err) {
		run.letGo()()
		r.hold.tx.Rollback(r.caller)
		r.hold.pause(r.caller)
		return result, true, err
	}
	return result, false, run.fail(err)
}

// again claims the key in another transaction, for the same delivery.
func (r *TxRun[T, R]) again() error {
	before := r.Run
	r.Run = newRun[R](r.caller, r.hold, before.watch.settings, before.spec, before.Key())
	r.store, r.watch.start, r.payload = before.store, before.watch.start, before.payload
	return r.answer(r.claim(r.caller, r.options.fingerprint))
}

// txHold is the Store of one run in a transaction: it writes in the open one, or
// rolls that back and writes what came of it in another.
type txHold struct {
	TxStore
	tx        Tx           // which the run is held in
	req       ClaimRequest // that has asked for it
	conflicts int          // that were worth another transaction
}

// Claim implements [Store].
func (h *txHold) Claim(ctx context.Context, req ClaimRequest) (Record, error) {
	rec, tx, err := h.ClaimTx(ctx, req)
	h.tx, h.req = tx, req
	return rec, err
}

// worthAnother reports whether an error is a conflict after which all is to be done
// again, and counts it: the transactions of one delivery are maxConflicts at most,
// wherever in them the conflicts are.
func (h *txHold) worthAnother(ctx context.Context, err error) bool {
	if h.conflicts+1 >= maxConflicts || ctx.Err() != nil || !h.Conflicted(err) {
		return false
	}
	h.conflicts++
	return true
}

// pause waits before the transaction that follows a conflict.
func (h *txHold) pause(ctx context.Context) {
	pause := conflictPause << h.conflicts
	sleep(ctx, pause/2+rand.N(pause)) // what comes next finds that ctx has ended
}

// again does both for a conflict of the claim.
func (h *txHold) again(ctx context.Context, err error) bool {
	worth := h.worthAnother(ctx, err)
	if worth {
		h.pause(ctx)
	}
	return worth
}

// Complete implements [Store].
func (h *txHold) Complete(ctx context.Context, token Token, outcome Outcome) error {
	if outcome.Status == StatusDone {
		return h.tx.Complete(ctx, token, outcome)
	}
	return h.instead(ctx, func(tx Tx, token Token) error { return tx.Complete(ctx, token, outcome) })
}

// Release implements [Store].
func (h *txHold) Release(ctx context.Context, _ Token, release Release) error {
	return h.instead(ctx, func(tx Tx, token Token) error { return tx.Release(ctx, token, release) })
}

// instead rolls back, and writes in a transaction that holds the run and does
// nothing else. In between others may claim it.
func (h *txHold) instead(ctx context.Context, write func(Tx, Token) error) error {
	h.tx.Rollback(ctx)
	req := h.req
	req.Redelivered = false
	for n := 1; ; n++ {
		rec, tx, err := h.ClaimTx(ctx, req)
		if err != nil {
			return err
		}
		if tx == nil {
			return fmt.Errorf("%w: the transaction is rolled back, and the run is another delivery's", ErrLeaseLost)
		}
		if err = write(tx, rec.Token()); n == maxConflicts || !h.Conflicted(err) {
			return err
		}
	}
}
