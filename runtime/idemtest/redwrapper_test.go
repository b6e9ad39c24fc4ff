package idemtest_test

import (
	"context"
	"errors"
	"math"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// The wrappers with a fault.

func neverClaims(ctx context.Context, _ idem.Store, e event, handle handler) (receipt, error) {
	return handle(ctx, e)
}

func replaysZero(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	ran := false
	got, err := notifyOnceWith(notifySpec)(ctx, store, e, func(ctx context.Context, e event) (receipt, error) {
		ran = true
		return handle(ctx, e)
	})
	if !ran {
		return receipt{}, err
	}
	return got, err
}

// replaysZeroAgain has a fault on the way that only a redelivery takes.
func replaysZeroAgain(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	got, err := notifyOnceWith(notifySpec)(ctx, store, e, handle)
	if d, _ := idem.DeliveryFromContext(ctx); d.Redelivered {
		return receipt{}, err
	}
	return got, err
}

func ownContext(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	return notifyOnceWith(notifySpec)(ctx, store, e, func(_ context.Context, e event) (receipt, error) { return handle(ctx, e) })
}

func neverCloses(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	key, _ := notifyKey(e)
	run, err := idem.Claim[receipt](ctx, store, notifySpec, key)
	if err != nil {
		return receipt{}, err
	}
	if stored, ok := run.Replay(); ok {
		return stored, nil
	}
	return run.Complete(handle(run.Context(), e))
}

func swallowsPanics(ctx context.Context, store idem.Store, e event, handle handler) (got receipt, err error) {
	defer func() { _ = recover() }()
	return notifyOnceWith(notifySpec)(ctx, store, e, handle)
}

func completesErrors(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	var handlerErr error
	got, err := notifyOnceWith(notifySpec)(ctx, store, e, func(ctx context.Context, e event) (receipt, error) {
		got, err := handle(ctx, e)
		handlerErr = err
		return got, nil
	})
	return got, errors.Join(err, handlerErr)
}

func hidesCompletion(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	ran := false
	got, err := notifyOnceWith(notifySpec)(ctx, store, e, func(ctx context.Context, e event) (receipt, error) {
		ran = true
		return handle(ctx, e)
	})
	if ran {
		return got, nil
	}
	return got, err
}

func hidesClaim(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	ran := false
	got, err := notifyOnceWith(notifySpec)(ctx, store, e, func(ctx context.Context, e event) (receipt, error) {
		ran = true
		return handle(ctx, e)
	})
	if !ran {
		return got, nil
	}
	return got, err
}

func runsUnclaimed(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	ran := false
	got, err := notifyOnceWith(notifySpec)(ctx, store, e, func(ctx context.Context, e event) (receipt, error) {
		ran = true
		return handle(ctx, e)
	})
	if !ran && err != nil {
		_, _ = handle(ctx, e)
	}
	return got, err
}

func otherKey(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	e.ID += "-again"
	return notifyOnceWith(notifySpec)(ctx, store, e, handle)
}

func oneKey(ctx context.Context, store idem.Store, _ event, handle handler) (receipt, error) {
	return notifyOnceWith(notifySpec)(ctx, store, notifyArgs(1), handle)
}

// timely is a wrapper whose arguments are others each time.
func timely(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	e.Amount = int(time.Now().UnixNano())
	return notifyOnceWith(notifySpec)(ctx, store, e, handle)
}

func rateless(ctx context.Context, store idem.Store, e event, _ handler) (receipt, error) {
	key, _ := notifyKey(e)
	unfit := idem.NewFingerprint(idem.Value("event.Rate", math.NaN()))
	_, err := idem.Claim[receipt](ctx, store, notifySpec, key, idem.WithFingerprint(unfit))
	return receipt{}, err
}
