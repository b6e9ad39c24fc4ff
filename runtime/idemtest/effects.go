package idemtest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// effects stands in for a provider: it counts what it was asked to do, and
// keeps the key that each request came under, and the delivery.
type effects struct {
	mu         sync.Mutex
	keys       []idem.Key
	deliveries []idem.Delivery
	failed     error // the first that kept one from being committed
}

// WithKey is for the stand-in of a handler that takes the key as a parameter:
// that is the key which its provider sees.
func WithKey(ctx context.Context, key idem.Key) context.Context {
	return context.WithValue(ctx, paramKey{}, key)
}

// WithDelivery is for the stand-in of a handler that takes the delivery as a
// parameter: that is the one which its provider sees.
func WithDelivery(ctx context.Context, d idem.Delivery) context.Context {
	return context.WithValue(ctx, paramDelivery{}, d)
}

type (
	paramKey      struct{}
	paramDelivery struct{}
)

// happen returns the number of the effect, from 1.
func (e *effects) happen(ctx context.Context) int {
	key, _ := idem.KeyFromContext(ctx) // its absence is found by want
	if param, ok := ctx.Value(paramKey{}).(idem.Key); ok {
		key = param
	}
	delivery, _ := idem.DeliveryFromContext(ctx)
	if param, ok := ctx.Value(paramDelivery{}).(idem.Delivery); ok {
		delivery = param
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keys, e.deliveries = append(e.keys, key), append(e.deliveries, delivery)
	return len(e.keys)
}

func (e *effects) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.keys)
}

// fail keeps the first error, and returns it.
func (e *effects) fail(err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed == nil {
		e.failed = err
	}
	return err
}

// want checks that n effects happened, all under one key.
func (e *effects) want(t testing.TB, n int, key idem.Key) {
	t.Helper()
	if e.failed != nil {
		t.Fatalf("the handler could not do its work: %v", e.failed)
	}
	if got := e.count(); got != n {
		t.Fatalf("the handler ran %d times; want %d", got, n)
	}
	for _, got := range e.keys {
		if got != key {
			t.Fatalf("a provider saw the key %q; want %q: the handler has to get the run's context and key", got, key)
		}
	}
	for _, got := range e.deliveries {
		if got.Source != source {
			t.Fatalf("the handler saw the delivery %+v; want that of its context, from %s", got, source)
		}
	}
}

// work is the handler of one delivery: it has its effect, and returns a
// result that tells which effect it was.
func (w *trial[R]) work(e *effects) func(context.Context) (R, error) {
	return func(ctx context.Context) (R, error) {
		n := e.happen(ctx)
		return sample[R](n), e.fail(w.write(ctx))
	}
}

var errDied = errors.New("idemtest: the worker died")

// mortal is the store of a worker that dies: from then on nothing of it
// reaches the database.
type mortal struct {
	idem.Store
	dead    atomic.Bool
	commits bool // a transaction at the last moment
}

func (m *mortal) die() { m.dead.Store(true) }

func (m *mortal) Claim(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if m.dead.Load() {
		return idem.Record{}, errDied
	}
	return m.Store.Claim(ctx, req)
}

func (m *mortal) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	if m.dead.Load() {
		return errDied
	}
	return m.Store.Complete(ctx, token, outcome)
}

func (m *mortal) Release(ctx context.Context, token idem.Token, release idem.Release) error {
	if m.dead.Load() {
		return errDied
	}
	return m.Store.Release(ctx, token, release)
}

func (m *mortal) Extend(ctx context.Context, token idem.Token, lease time.Duration) error {
	if m.dead.Load() {
		return errDied
	}
	return m.Store.Extend(ctx, token, lease)
}

// crashed delivers to a worker that dies when its handler has done its work.
func (w *trial[R]) crashed(t testing.TB, n int, handle func(context.Context) (R, error)) {
	t.Helper()
	store := &mortal{Store: w.db.Store()}
	var handlerErr error
	_, err := w.Deliver(w.message(n, false), store, n, func(ctx context.Context) (R, error) {
		defer store.die()
		var result R
		result, handlerErr = handle(ctx)
		return result, handlerErr
	})
	if handlerErr != nil {
		t.Fatalf("the handler's first run: %v", handlerErr)
	}
	if !store.dead.Load() {
		t.Fatalf("the first delivery did not run the handler: %v", err)
	}
	if err == nil {
		t.Fatal("the result could not be stored, and the wrapper reports success: return what Complete returns")
	}
}

var errDown = errors.New("idemtest: the database is down")

// down is a store that nobody can reach.
type down struct {
	idem.Store
	noEntities
}

func (down) Claim(context.Context, idem.ClaimRequest) (idem.Record, error) {
	return idem.Record{}, errDown
}
