package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/runtime/internal/detached"
)

// completionTimeout bounds a completion or a release, which run detached
// from the caller's context.
const completionTimeout = 30 * time.Second

// Run is one delivery's part in the run of a key: it holds the key, or it
// replays the stored result. R is the type of the handler's result.
type Run[R any] struct {
	store  Store
	spec   Spec
	info   runInfo
	ctx    runContext
	watch  watch
	heart  heart
	inTurn bool // of its batch
	result R
	state  runState

	payload []byte // that a redrive will need
}

type runState int

const (
	held     runState = iota // this delivery has to run the handler
	replayed                 // the result is a stored one
	ended                    // completed or released
)

// hold begins the handler's context, which knows the key and ends with the
// lease, if nobody extends it.
func (r *Run[R]) hold(ctx context.Context, end time.Time) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.ctx.Context = ctx
	r.heart = heart{store: r.store, token: r.info.token, lease: r.spec.Lease, ctx: &r.ctx, lose: cancel, watch: &r.watch}
	r.heart.start(end)
}

// takeTurn waits until a handler of the run's batch may run. Its lease is kept
// meanwhile. A run that is not to wait any longer is given back: no handler ran.
func (r *Run[R]) takeTurn() error {
	if r.watch.turns == nil {
		return nil
	}
	if r.ctx.Err() == nil {
		select {
		case r.watch.turns <- struct{}{}: // as a rule, and nobody else is to be waited for
			r.inTurn = true
			return nil
		default:
		}
	}
	select {
	case r.watch.turns <- struct{}{}:
		r.inTurn = true
		return nil
	case <-r.ctx.Done():
		err := context.Cause(&r.ctx)
		_ = r.release(Release{Error: "the delivery ended before its handler's turn came", Hold: true})
		return r.spec.wrap("claim", r.info.token.Key, err)
	}
}

// letGo ends what hold began, whatever the store is about to say: from here on
// Close has nothing to give back. Before, the user's code may still panic. The
// func it returns ends the handler's context.
func (r *Run[R]) letGo() func() {
	r.state = ended
	r.heart.stop()
	if r.inTurn {
		r.inTurn = false // a transaction that could not be committed ends twice
		<-r.watch.turns
	}
	return func() { r.heart.lose(nil) }
}

// Replay returns the stored result, and true, if the work was done before.
func (r *Run[R]) Replay() (R, bool) { return r.result, r.state == replayed }

// Key returns the run's key, to be passed to providers.
func (r *Run[R]) Key() Key { return r.info.token.Key }

// Delivery returns what the caller said of this delivery by [WithDelivery].
func (r *Run[R]) Delivery() Delivery { return r.info.delivery }

// Context returns the context to run the handler under. While the handler runs,
// the lease is extended whenever a third of it has passed, by a statement of
// its own; when the lease is lost, or over because the store did not answer, the
// context ends with the cause [ErrLeaseLost]. From a run that replays, it is nil.
func (r *Run[R]) Context() context.Context {
	if r.state == replayed {
		return nil
	}
	return &r.ctx
}

// Complete records what the handler returned, and returns it.
//
//   - No error: the run is done and the result is stored, as JSON or as
//     [WithCodec] says. A result that cannot be encoded, or is larger than
//     [MaxResultBytes], is not stored: the run is done all the same, and
//     duplicates get [ErrResultNotStored].
//   - An error marked by [Permanent]: the run is failed, and the error comes
//     back in a [*FailedError].
//   - An error marked by [RetryAfter]: the run waits until it is due, the
//     attempt does not count, and the error comes back in an
//     [*InProgressError].
//   - Any other error: the run waits, due at once, for the next delivery; it
//     is dead if its attempts are used up.
//
// It runs detached from the caller's context, with a deadline of its own, so
// that a cancellation never loses a finished result. If the lease was lost
// meanwhile, the row stays as the new holder has it and the error is a
// *[RunError] that wraps [ErrLeaseLost] (and the handler's error).
func (r *Run[R]) Complete(result R, err error) (R, error) {
	if r.state != held {
		return result, r.spec.wrap("complete", r.info.token.Key, errors.New("the run does not hold its key"))
	}
	if err != nil {
		return result, r.fail(err)
	}
	if err := r.done(r.end(r.outcome(&result))); err != nil {
		var none R
		return none, err
	}
	return result, nil
}

// outcome is that of work which has succeeded.
func (r *Run[R]) outcome(result *R) Outcome {
	outcome := Outcome{Status: StatusDone}
	data, err := r.watch.encode(r.info.token.Key, result)
	if err != nil {
		outcome.Error = textOf(fmt.Errorf("result not stored: %w", err), r.watch.errorText)
	}
	outcome.Result = data
	return outcome
}

// done tells how the recording of such an outcome ended, and returns its error.
func (r *Run[R]) done(err error) error {
	r.watch.ended(&r.ctx, recorded(AnswerDone, err), err)
	return err
}

// fail records the handler's error, and returns it with whatever went wrong
// in recording it.
func (r *Run[R]) fail(err error) error {
	answer, told, recordErr := r.record(err)
	if recordErr != nil {
		told = errors.Join(told, recordErr)
	}
	r.watch.ended(&r.ctx, recorded(answer, recordErr), told)
	return told
}

// record returns what the handler's error comes to if it could be recorded,
// and how it is told then; and how else, with what went wrong.
func (r *Run[R]) record(err error) (answer Answer, told, recordErr error) {
	text := textOf(err, r.watch.errorText)
	if isOutcome(err) {
		if recordErr := r.end(Outcome{Status: StatusFailed, Error: text}); recordErr != nil {
			return AnswerFailed, err, recordErr
		}
		return AnswerFailed, &FailedError{Handler: r.spec.Handler, Key: r.info.token.Key, Text: text, Err: err}, nil
	}
	delay, hold := holdOf(err)
	recordErr = r.release(Release{Delay: delay, Error: text, Hold: hold})
	if speaksOfAnother(err) {
		err = &othersError{err}
	}
	switch {
	case !hold:
		return r.retryOrDead(), err, recordErr
	case recordErr == nil:
		err = &InProgressError{Handler: r.spec.Handler, Key: r.info.token.Key, RetryAfter: delay, Err: err}
	}
	return AnswerHeld, err, recordErr
}

// retryOrDead is what a release without a hold comes to: the store counts in
// the same way.
func (r *Run[R]) retryOrDead() Answer {
	if r.info.token.Attempt+1-r.info.holds > r.spec.Attempts {
		return AnswerDead
	}
	return AnswerRetry
}

func (r *Run[R]) end(outcome Outcome) error {
	defer r.letGo()()
	ctx := detached.New(&r.ctx, completionTimeout)
	defer ctx.End()
	return r.spec.wrap("complete", r.info.token.Key, r.store.Complete(ctx, r.info.token, outcome))
}

func (r *Run[R]) release(release Release) error {
	defer r.letGo()()
	ctx := detached.New(&r.ctx, completionTimeout)
	defer ctx.End()
	release.Attempts = r.spec.Attempts
	return r.spec.wrap("release", r.info.token.Key, r.store.Release(ctx, r.info.token, release))
}

// Close gives the key back if the handler did not return: on a panic, which
// goes on after that, and when the goroutine exits. It does nothing after
// Complete or for a replay. Defer it directly, or it cannot see the panic.
func (r *Run[R]) Close() {
	if r.state != held {
		return
	}
	// In a deferred call, so that a store that panics too does not swallow
	// the handler's panic.
	v := recover()
	if v == nil {
		r.abandon(errExited)
		return
	}
	defer panic(v)
	r.abandon(panicError(v))
}

var errExited = errors.New("the handler's goroutine exited")

// abandon releases a run whose handler did not return. The release's own error
// has nobody to go to: the lease bounds what it leaves.
func (r *Run[R]) abandon(cause error) {
	err := r.release(Release{Error: textOf(cause, r.watch.errorText)})
	r.watch.ended(&r.ctx, recorded(r.retryOrDead(), err), cause)
}

// wrap gives an error the run's name; nil stays nil.
func (s Spec) wrap(op string, key Key, err error) error {
	if err == nil {
		return nil
	}
	return &RunError{Op: op, Handler: s.Handler, Key: key, Err: err}
}
