package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Permanent marks a handler's error as the outcome of the work: the run is
// failed, never runs again, and each duplicate gets a [*FailedError] with the
// same text, as the first delivery does, there around the error itself. Any
// other error lets the next delivery run the handler again. Permanent(nil) is
// nil.
//
// An error that wraps a cancelled or expired context, the handler's or
// another, is never an outcome, whatever marks it. The *FailedError of another
// run, which a handler returns that calls a wrapper itself, is one. Of
// several marks the outermost counts.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &markedError{err: err}
}

// RetryAfter marks a handler's error as a hold: it is too early for the work,
// as when a provider's rate limit answers with a time to wait. The run waits
// and is due in d, by the database's clock; a d below zero is zero. The attempt
// does not count towards the handler's limit, however often that happens. The
// delivery gets an [*InProgressError] around the error, whose RetryAfter is d.
//
// RetryAfter(d, nil) is a hold without a cause, and not a success.
func RetryAfter(d time.Duration, err error) error {
	return &markedError{err: err, hold: true, delay: max(0, d)}
}

// markedError is what Permanent and RetryAfter return.
type markedError struct {
	err   error
	hold  bool // or else permanent
	delay time.Duration
}

func (e *markedError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("retry after %v", e.delay)
	}
	return e.err.Error()
}

func (e *markedError) Unwrap() error { return e.err }

// isOutcome reports whether a handler's error ends the run. A failure of
// another run does, whether that one was fresh or replayed.
func isOutcome(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var marked *markedError
	if errors.As(err, &marked) {
		return !marked.hold
	}
	return errors.Is(err, ErrFailed)
}

// holdOf reports whether a handler's error is a hold, and for how long.
func holdOf(err error) (time.Duration, bool) {
	var marked *markedError
	if !errors.As(err, &marked) || !marked.hold {
		return 0, false
	}
	return marked.delay, true
}

// final are the causes on which a worker stops delivering.
var final = []error{ErrDead, ErrStale, ErrEmptyKeyPart, ErrBadPart, ErrKeyReuse, ErrResultNotStored}

// speaksOfAnother reports whether a handler's error has such a cause: it comes
// from a wrapper that the handler called, and is not this run's.
func speaksOfAnother(err error) bool {
	return slices.ContainsFunc(final, func(cause error) bool { return errors.Is(err, cause) })
}

// othersError keeps the end of another run from being taken for the end of
// this one, which is to be delivered again.
type othersError struct{ err error }

func (e *othersError) Error() string { return e.err.Error() }

// Is hides the causes that are the other run's. There is no Unwrap, which
// would show them.
func (e *othersError) Is(target error) bool {
	return !slices.Contains(final, target) && errors.Is(e.err, target)
}

func (e *othersError) As(target any) bool { return errors.As(e.err, target) }
