package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ClaimOption changes what [Claim] asks for.
type ClaimOption func(claimOptions) claimOptions

type claimOptions struct {
	fingerprint Fingerprint
	event       any // nil if it is not kept
	order       Order
}

// WithFingerprint has the delivery agree with the run on the values of a
// fingerprint.
func WithFingerprint(f Fingerprint) ClaimOption {
	return func(o claimOptions) claimOptions {
		o.fingerprint = f
		return o
	}
}

// Claim asks the store for a key. The run it returns either holds the key,
// so that the caller has to run the handler and Complete, or at least Close,
// which ends its heartbeat; or it replays a stored result. The first delivery
// costs the store one statement here and one in Complete.
//
// Errors: *[InProgressError] if another delivery holds the key or the run is
// not due yet; *[FailedError] if the handler failed permanently before;
// *[KeyError], and nothing was claimed, if the fingerprint or the order cannot be made;
// *[RunError] wrapping [ErrPayload], and nothing was claimed, if the event cannot;
// *[RunError] wrapping [ErrDead], [ErrStale], [ErrKeyReuse], [ErrResultNotStored],
// [ErrEmptyKeyPart] if there is no key, [ErrLeaseLost] if the claim took longer than the
// lease and another one has the key by now, or what the store returned.
func Claim[R any](ctx context.Context, store Store, spec Spec, key Key, opts ...ClaimOption) (*Run[R], error) {
	store, settings := configuration(store)
	run, _, err := claimRun[R](ctx, store, settings, spec, key, opts)
	return run, err
}

func claimRun[R any](ctx context.Context, store Store, settings settings, spec Spec, key Key, opts []ClaimOption) (*Run[R], claimOptions, error) {
	var o claimOptions
	for _, opt := range opts {
		o = opt(o)
	}
	if err := spec.check(key, o); err != nil {
		return nil, o, err
	}
	payload, err := settings.payload(spec, key, o.event)
	if err != nil {
		return nil, o, err
	}
	run := newRun[R](ctx, store, settings, spec, key)
	if run.store, err = spec.inOrder(store, o.order, settings.errorText, key); err != nil {
		return nil, o, err
	}
	run.payload = payload
	run.watch.received(&run.ctx)
	if err := run.answer(run.claim(ctx, o.fingerprint)); err != nil {
		return nil, o, err
	}
	return run, o, nil
}

func newRun[R any](ctx context.Context, store Store, settings settings, spec Spec, key Key) *Run[R] {
	delivery, _ := DeliveryFromContext(ctx)
	_, inTx := store.(*txHold)
	run := &Run[R]{store: store, spec: spec, info: runInfo{handler: spec.Handler, token: Token{Key: key}, delivery: delivery, inTx: inTx}}
	run.ctx = runContext{ctx, &run.info}
	run.watch = watch{settings: settings, info: &run.info}
	return run
}

// answer tells what a claim was answered that did not get the key, and returns
// its error.
func (r *Run[R]) answer(err error) error {
	if err != nil || r.state == replayed {
		r.watch.ended(&r.ctx, claimAnswer(err), err)
	}
	return err
}

// claim asks the store for the run's key.
func (r *Run[R]) claim(ctx context.Context, f Fingerprint) error {
	owner := NewOwner()
	// The local countdown of the lease starts before the store's, so it
	// never ends later.
	asked := time.Now()
	rec, err := r.store.Claim(ctx, ClaimRequest{
		Key:         r.info.token.Key,
		Handler:     r.spec.Handler,
		Owner:       owner,
		Lease:       r.spec.Lease,
		Attempts:    r.spec.Attempts,
		Redelivered: r.info.delivery.Redelivered,
		Fingerprint: f.sum,
		Payload:     r.payload,
	})
	if err != nil {
		return r.spec.wrap("claim", r.info.token.Key, err)
	}
	r.info.token, r.info.holds = rec.Token(), rec.Holds
	if !rec.HeldBy(owner) {
		return r.replay(rec, f)
	}
	if !rec.Asked.IsZero() {
		asked = rec.Asked
	}
	r.hold(ctx, asked.Add(rec.Remaining))
	return r.takeTurn()
}

// check finds what is wrong with a claim before anybody is asked.
func (s Spec) check(key Key, o claimOptions) error {
	if key == "" {
		return s.wrap("claim", key, ErrEmptyKeyPart)
	}
	if s.Handler == "" || s.Lease <= 0 || s.Attempts < 1 {
		return s.wrap("claim", key, errors.New("the spec needs a handler, a lease and at least one attempt"))
	}
	for _, wrong := range []*KeyError{o.fingerprint.err, o.order.err} {
		if wrong != nil {
			err := *wrong
			err.Handler, err.Key = s.Handler, key
			return &err
		}
	}
	if s.Ordered != (o.order.entity != "") {
		return s.wrap("claim", key, errors.New("a spec that is Ordered and a claim WithOrder need each other"))
	}
	return nil
}

// replay takes over the result of a run that this delivery does not hold, or
// returns the error that says why there is none.
func (r *Run[R]) replay(rec Record, f Fingerprint) error {
	key := rec.Key
	if err := r.spec.reuse(rec, f); err != nil {
		return r.spec.wrap("claim", key, err)
	}
	switch rec.Status {
	case StatusRunning:
		return &InProgressError{Handler: r.spec.Handler, Key: key, RetryAfter: min(max(0, rec.Remaining), r.spec.Lease)}
	case StatusWaiting:
		return &InProgressError{Handler: r.spec.Handler, Key: key, RetryAfter: max(0, rec.Remaining)}
	case StatusFailed:
		return &FailedError{Handler: r.spec.Handler, Key: key, Text: rec.Error}
	case StatusStale:
		return r.spec.wrap("claim", key, fmt.Errorf("%w: %s", ErrStale, rec.Error))
	case StatusDead:
		return r.spec.wrap("claim", key, fmt.Errorf("%w: last error: %s", ErrDead, rec.Error))
	case StatusDone:
		if rec.Result == nil {
			return r.spec.wrap("replay", key, fmt.Errorf("%w: %s", ErrResultNotStored, rec.Error))
		}
		if err := r.watch.decode(key, rec.Result, &r.result); err != nil {
			return r.spec.wrap("replay", key, fmt.Errorf("%w as %T: %w", ErrResultNotStored, r.result, err))
		}
		r.state = replayed
		return nil
	}
	return r.spec.wrap("claim", key, fmt.Errorf("unknown status %q", rec.Status))
}

// reuse tells by what a run stands for other work than this delivery's.
func (s Spec) reuse(rec Record, f Fingerprint) error {
	if rec.Handler != s.Handler {
		return fmt.Errorf("%w: of handler %s", ErrKeyReuse, rec.Handler)
	}
	var others []string
	for _, place := range differences(rec.Fingerprint, f.sum) {
		others = append(others, f.names[place])
	}
	if others != nil {
		return fmt.Errorf("%w: claimed with another %s", ErrKeyReuse, placeholders(others))
	}
	return nil
}
