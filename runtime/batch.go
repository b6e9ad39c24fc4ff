package runtime

import (
	"context"
	"sync"
)

// Batcher is a [Store] that takes what the deliveries of a batch ask in few
// round trips.
type Batcher interface {
	Store
	// Batch returns a store for so many deliveries that are made at the same
	// time. Claims and completions are sent together, when each of them waits
	// for an answer. Leave is called when one of them has ended, however it has.
	Batch(deliveries int) (store Store, leave func())
}

// BatchOption changes what [Batch] does.
type BatchOption func(*batchOptions)

type batchOptions struct {
	limit      int
	deliveries []Delivery
}

// defaultLimit is how many handlers of a batch run at the same time.
const defaultLimit = 16

// Limit says how many handlers of a batch run at the same time: 16 if this
// option is not given, at least one.
func Limit(n int) BatchOption { return func(o *batchOptions) { o.limit = max(1, n) } }

// Deliveries says what the broker says of each delivery, in the order of the
// events. Those that have none have the context's, by [WithDelivery].
func Deliveries(list ...Delivery) BatchOption {
	return func(o *batchOptions) { o.deliveries = list }
}

// Delivered is what a delivery of a batch was answered.
type Delivered[R any] struct {
	Result R
	Err    error
}

// Batch delivers events at the same time, with one statement for all claims and
// one for all completions, and returns what each was answered, in their order. It
// means the same as calling once for one event after the other: an event whose
// key is that of an event before it is delivered when that has ended, and what
// one of them comes to is not the others' concern. Generated batch wrappers call
// it, with the handler's key func and its wrapper. Handlers whose spec is Ordered
// take no part: their events would wait for each other.
//
// Results are stored when all handlers have ended, or after a second. If a handler
// panics, Batch panics with the same value once all others have ended.
func Batch[E, R any](ctx context.Context, store Store, events []E, keyOf func(E) (Key, error),
	once func(context.Context, Store, E) (R, error), opts ...BatchOption,
) []Delivered[R] {
	o := batchOptions{limit: defaultLimit}
	for _, opt := range opts {
		opt(&o)
	}
	b := &batch[E, R]{
		events: events, once: once, deliveries: o.deliveries,
		delivered: make([]Delivered[R], len(events)), turns: make(chan struct{}, o.limit),
	}
	for _, round := range rounds(events, keyOf) {
		b.deliver(ctx, store, round)
	}
	if b.panicked != nil {
		panic(*b.panicked)
	}
	return b.delivered
}

// rounds parts events so that no key is twice in one, in their order. An event
// that has no key is in the first: it is not going to ask anybody.
func rounds[E any](events []E, keyOf func(E) (Key, error)) (rounds [][]int) {
	times := make(map[Key]int, len(events))
	for i, event := range events {
		round := 0
		if key, err := keyOf(event); err == nil {
			round = times[key]
			times[key]++
		}
		if round == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[round] = append(rounds[round], i)
	}
	return rounds
}

type batch[E, R any] struct {
	events     []E
	once       func(context.Context, Store, E) (R, error)
	deliveries []Delivery
	delivered  []Delivered[R]
	turns      chan struct{}

	mu       sync.Mutex
	panicked *any // what the first handler did that panicked
}

// deliver delivers some events at the same time.
func (b *batch[E, R]) deliver(ctx context.Context, store Store, places []int) {
	store, leave := b.open(store, len(places))
	var all sync.WaitGroup
	for _, place := range places {
		all.Go(func() {
			defer leave()
			b.one(ctx, store, place)
		})
	}
	all.Wait()
}

// open returns the store for a round, whose handlers take turns.
func (b *batch[E, R]) open(store Store, n int) (Store, func()) {
	base, s := configuration(store)
	s.turns = b.turns
	leave := func() {}
	if batcher, ok := base.(Batcher); ok && n > 1 {
		base, leave = batcher.Batch(n)
	}
	return &configured{base, s}, leave
}

func (b *batch[E, R]) one(ctx context.Context, store Store, place int) {
	d := &b.delivered[place]
	d.Err = errExited
	defer func() {
		if v := recover(); v != nil {
			d.Err = panicError(v)
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.panicked == nil {
				b.panicked = &v
			}
		}
	}()
	if place < len(b.deliveries) {
		ctx = WithDelivery(ctx, b.deliveries[place])
	}
	d.Result, d.Err = b.once(ctx, store, b.events[place])
}

// BatchErrors is [Batch] for a handler without a result.
func BatchErrors[E any](ctx context.Context, store Store, events []E, keyOf func(E) (Key, error),
	once func(context.Context, Store, E) error, opts ...BatchOption,
) []error {
	delivered := Batch(ctx, store, events, keyOf, func(ctx context.Context, store Store, event E) (struct{}, error) {
		return struct{}{}, once(ctx, store, event)
	}, opts...)
	errs := make([]error, len(delivered))
	for i, d := range delivered {
		errs[i] = d.Err
	}
	return errs
}
