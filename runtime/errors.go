package runtime

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The causes that callers tell apart, by [errors.Is]. Each comes wrapped in a
// type that carries the handler and the key.
var (
	// ErrEmptyKeyPart: a value that the key needs is empty, nil or zero. No
	// row was written. Wrapped in a [*KeyError], and in a [*RunError] by a
	// [Claim] without a key.
	ErrEmptyKeyPart = errors.New("empty key part")
	// ErrBadPart: a value that the key, the fingerprint or the order is made of
	// cannot be written: its own MarshalText fails, it is not JSON, or it is a
	// version that is too large. No row was
	// written or read. Delivering again does not help. Comes as a
	// [*KeyError].
	ErrBadPart = errors.New("bad key part")
	// ErrInProgress: another delivery holds the key, or the run is waiting
	// for its time. Do not acknowledge; deliver again after the RetryAfter
	// of the [*InProgressError].
	ErrInProgress = errors.New("in progress")
	// ErrLeaseLost: the lease ran out and somebody else has taken, swept or
	// finished the run. What this holder did is not recorded.
	ErrLeaseLost = errors.New("lease lost")
	// ErrFailed: the handler says, or had said, [Permanent], and that is
	// recorded. Comes as a [*FailedError].
	ErrFailed = errors.New("failed permanently")
	// ErrDead: the run has used up its attempts. It stays so until an
	// operator revives or removes the row.
	ErrDead = errors.New("attempts used up")
	// ErrStale: the event is of an older version than the newest that was
	// applied to its entity, so the run is over and its handler is not run: see
	// [WithOrder]. Delivering again does not help.
	ErrStale = errors.New("stale")
	// ErrKeyReuse: the key's run is of another handler, or was claimed with
	// other values of the fingerprint. The error's text says which; the run
	// is as it was. Delivering again does not help.
	ErrKeyReuse = errors.New("key stands for other work")
	// ErrResultNotStored: the work is done and does not run again, but its
	// result could not be stored, and the row's error column says why; or it
	// was stored when the handler's result had another type.
	ErrResultNotStored = errors.New("done, but its result is not stored")
	// ErrNotFound: no run has this key. Returned by [Store.Lookup].
	ErrNotFound = errors.New("no such run")
)

// RunError is an error about one run. It wraps one of the causes above, or
// the store's error.
type RunError struct {
	Op      string // claim, complete, release, replay
	Handler string
	Key     Key
	Err     error
}

func (e *RunError) Error() string {
	return fmt.Sprintf("idem: %s %s %q: %v", e.Op, e.Handler, string(e.Key), e.Err)
}

func (e *RunError) Unwrap() error { return e.Err }

// KeyError says that an event has no key, no fingerprint or no order.
type KeyError struct {
	Handler     string
	Key         Key      // of the run, if it is the fingerprint or the order that cannot be made
	Fingerprint bool     // it is
	Order       bool     // it is the order that cannot be made
	Parts       []string // the placeholders at fault, as the template names them
	Err         error    // ErrEmptyKeyPart, or why the value cannot be written
}

func (e *KeyError) Error() string {
	what := "key of " + e.Handler
	switch {
	case e.Fingerprint:
		what = fmt.Sprintf("fingerprint of %s %q", e.Handler, string(e.Key))
	case e.Order:
		what = fmt.Sprintf("order of %s %q", e.Handler, string(e.Key))
	}
	if len(e.Parts) > 0 {
		what += ": " + placeholders(e.Parts)
	}
	return fmt.Sprintf("idem: %s: %v", what, e.Err)
}

// Is makes errors.Is(err, ErrBadPart) hold for a part that is there.
func (e *KeyError) Is(target error) bool {
	return target == ErrBadPart && !errors.Is(e.Err, ErrEmptyKeyPart)
}

// placeholders writes names as they stand in a template.
func placeholders(names []string) string { return "{" + strings.Join(names, "}, {") + "}" }

func (e *KeyError) Unwrap() error { return e.Err }

// InProgressError answers a delivery whose key another one holds, or whose
// run is waiting for its time; also the delivery whose handler says
// [RetryAfter].
type InProgressError struct {
	Handler string
	Key     Key
	// RetryAfter is how long until the key can be claimed, by the database's
	// clock: never negative, and never beyond the handler's lease while
	// another delivery holds the key.
	RetryAfter time.Duration
	// Err is what the handler returned, if it is this delivery's.
	Err error
}

func (e *InProgressError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("idem: %s %q: held; retry after %v: %v", e.Handler, string(e.Key), e.RetryAfter, e.Err)
	}
	return fmt.Sprintf("idem: claim %s %q: %v; retry after %v", e.Handler, string(e.Key), ErrInProgress, e.RetryAfter)
}

// Is makes errors.Is(err, ErrInProgress) hold.
func (e *InProgressError) Is(target error) bool { return target == ErrInProgress }

func (e *InProgressError) Unwrap() error { return e.Err }

// FailedError is the outcome of work that failed for good: for the delivery
// that found out, and for every duplicate.
type FailedError struct {
	Handler string
	Key     Key
	Text    string // of the error that the handler made permanent
	Err     error  // that error; nil for a duplicate, which has the text only
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("idem: %s %q: %v: %s", e.Handler, string(e.Key), ErrFailed, e.Text)
}

// Is makes errors.Is(err, ErrFailed) hold.
func (e *FailedError) Is(target error) bool { return target == ErrFailed }

func (e *FailedError) Unwrap() error { return e.Err }
