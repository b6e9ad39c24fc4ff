package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// completionTimeout bounds a completion or a release, which run detached
// from the caller's context.
const completionTimeout = 30 * time.Second

// Run is one delivery's part in the run of a key: it holds the key, or it
// replays the stored result. R is the type of the handler's result.
type Run[R any] struct {
	store    Store
	spec     Spec
	token    Token
	delivery Delivery
	ctx      context.Context
	cancel   context.CancelFunc
	result   R
	state    runState
}

type runState int

const (
	held     runState = iota // this delivery has to run the handler
	replayed                 // the result is a stored one
	ended                    // completed or released
)

// Replay returns the stored result, and true, if the work was done before.
func (r *Run[R]) Replay() (R, bool) { return r.result, r.state == replayed }

// Key returns the run's key, to be passed to providers.
func (r *Run[R]) Key() Key { return r.token.Key }

// Delivery returns what the caller said of this delivery by [WithDelivery].
func (r *Run[R]) Delivery() Delivery { return r.delivery }

// Context returns the context to run the handler under. It ends when the
// lease does, with the cause [ErrLeaseLost]. From a run that replays, it is
// nil.
func (r *Run[R]) Context() context.Context { return r.ctx }

// Complete records what the handler returned, and returns it.
//
//   - No error: the run is done and the result is stored as JSON. A result
//     that JSON cannot hold, or larger than [MaxResultBytes], is not stored:
//     the run is done all the same, and duplicates get [ErrResultNotStored].
//   - An error marked by [Permanent]: the run is failed, and the error comes
//     back in a [*FailedError].
//   - Any other error: the run waits, due at once, for the next delivery; it
//     is dead if its attempts are used up.
//
// It runs detached from the caller's context, with a deadline of its own, so
// that a cancellation never loses a finished result. If the lease was lost
// meanwhile, the row stays as the new holder has it and the error is a
// *[RunError] that wraps [ErrLeaseLost] (and the handler's error).
func (r *Run[R]) Complete(result R, err error) (R, error) {
	if r.state != held {
		return result, r.spec.wrap("complete", r.token.Key, errors.New("the run does not hold its key"))
	}
	if err != nil {
		return result, r.fail(err)
	}
	outcome := Outcome{Status: StatusDone}
	data, encodeErr := encodeResult(result)
	if encodeErr != nil {
		outcome.Error = errorText("result not stored: " + encodeErr.Error())
	}
	outcome.Result = data
	if err := r.end(outcome); err != nil {
		var none R
		return none, err
	}
	return result, nil
}

// fail records the handler's error, and returns it with whatever went wrong
// in recording it.
func (r *Run[R]) fail(err error) error {
	text := textOf(err)
	if isOutcome(err) {
		if endErr := r.end(Outcome{Status: StatusFailed, Error: text}); endErr != nil {
			return errors.Join(err, endErr)
		}
		return &FailedError{Handler: r.spec.Handler, Key: r.token.Key, Text: text, Err: err}
	}
	releaseErr := r.release(text)
	if speaksOfAnother(err) {
		err = &othersError{err}
	}
	if releaseErr != nil {
		return errors.Join(err, releaseErr)
	}
	return err
}

// end and release let go of the run, whatever the store says: from here on
// Close has nothing to give back. Before, the user's code may still panic.

func (r *Run[R]) end(outcome Outcome) error {
	r.state = ended
	defer r.cancel()
	ctx, cancel := r.detached()
	defer cancel()
	return r.spec.wrap("complete", r.token.Key, r.store.Complete(ctx, r.token, outcome))
}

func (r *Run[R]) release(text string) error {
	r.state = ended
	defer r.cancel()
	ctx, cancel := r.detached()
	defer cancel()
	return r.spec.wrap("release", r.token.Key, r.store.Release(ctx, r.token, Release{
		Error:    text,
		Attempts: r.spec.Attempts,
	}))
}

func (r *Run[R]) detached() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(r.ctx), completionTimeout)
}

// Close gives the key back if the handler did not return: on a panic, which
// goes on after that, and when the goroutine exits. It does nothing after
// Complete or for a replay. Defer it directly, or it cannot see the panic.
func (r *Run[R]) Close() {
	if r.state != held {
		return
	}
	// In a deferred call, so that a store that panics too does not swallow
	// the handler's panic. The release's own error has nobody to go to: the
	// lease bounds what it leaves.
	if v := recover(); v != nil {
		defer panic(v)
		_ = r.release(errorText(fmt.Sprintf("panic: %v", v)))
		return
	}
	_ = r.release("the handler's goroutine exited")
}

// wrap gives an error the run's name; nil stays nil.
func (s Spec) wrap(op string, key Key, err error) error {
	if err == nil {
		return nil
	}
	return &RunError{Op: op, Handler: s.Handler, Key: key, Err: err}
}
