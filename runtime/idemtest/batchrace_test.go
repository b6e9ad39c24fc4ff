package idemtest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

type (
	batch       = func(context.Context, idem.Store, []event, wrapper, handler) []idem.Delivered[receipt]
	batchFields = func(context.Context, idem.Store, []int, func(context.Context) (receipt, error)) []idem.Delivered[receipt]
)

// notifyBatch is a batch in the shape of a generated one, around a wrapper for one.
func notifyBatch(ctx context.Context, store idem.Store, events []event, one wrapper, handle handler) []idem.Delivered[receipt] {
	return idem.Batch(ctx, store, events, notifyKey, func(ctx context.Context, store idem.Store, e event) (receipt, error) {
		return one(ctx, store, e, handle)
	})
}

func batching(b batch, one wrapper) batchFields {
	return func(ctx context.Context, store idem.Store, numbers []int, handle func(context.Context) (receipt, error)) []idem.Delivered[receipt] {
		return b(ctx, store, idemtest.Each(numbers, notifyArgs), one, func(ctx context.Context, _ event) (receipt, error) { return handle(ctx) })
	}
}

func TestRaceOfABatch(t *testing.T) {
	s := suite(t, notifySpec)
	s.Batch = batching(notifyBatch, notifyOnceWith(notifySpec))
	idemtest.Race(t, s)
}

func TestDelivered(t *testing.T) {
	answers := idemtest.Delivered([]error{nil, idem.ErrDead})
	if len(answers) != 2 || answers[0].Err != nil || !errors.Is(answers[1].Err, idem.ErrDead) {
		t.Errorf("got %v", answers)
	}
}

// What is wrong with a wrapper for many events, and what the scenario says of it.
func TestBrokenBatch(t *testing.T) {
	right := notifyOnceWith(notifySpec)
	for _, tt := range []struct {
		fault, says string
		batch       batch
		one         wrapper
	}{
		{"wrapper never claims", "got the result", notifyBatch, neverClaims},
		{"one key for all", "two events in a batch got one result", notifyBatch, oneKey},
		{"other key", "got the result", notifyBatch, otherKey},
		{"an answer is missing", "a batch of 4 events got 3 answers", func(ctx context.Context, store idem.Store, events []event, one wrapper, handle handler) []idem.Delivered[receipt] {
			return notifyBatch(ctx, store, events[1:], one, handle)
		}, right},
		{"answers of others", "got the result", func(ctx context.Context, store idem.Store, events []event, one wrapper, handle handler) []idem.Delivered[receipt] {
			answers := notifyBatch(ctx, store, events, one, handle)
			answers[1], answers[2] = answers[2], answers[1]
			return answers
		}, right},
		{"repeats are left out", "in the batch twice: got the result", func(ctx context.Context, store idem.Store, events []event, one wrapper, handle handler) []idem.Delivered[receipt] {
			return append(notifyBatch(ctx, store, events[:3], one, handle), idem.Delivered[receipt]{})
		}, right},
		{"one event for all", "two events in a batch got one result", func(ctx context.Context, store idem.Store, events []event, one wrapper, handle handler) []idem.Delivered[receipt] {
			return notifyBatch(ctx, store, []event{events[0], events[1], events[0], events[0]}, one, handle)
		}, right},
		{"errors are hidden", "the handler ran 0 times for event 2", func(ctx context.Context, store idem.Store, events []event, one wrapper, handle handler) []idem.Delivered[receipt] {
			stored, err := one(ctx, store, events[1], handle)
			return []idem.Delivered[receipt]{{}, {Result: stored, Err: err}, {Result: stored}, {}}
		}, right},
		{"errors", "event 2 in a batch: attempts used up; want its result", func(_ context.Context, _ idem.Store, events []event, _ wrapper, _ handler) []idem.Delivered[receipt] {
			answers := make([]idem.Delivered[receipt], len(events))
			answers[0].Err = idem.ErrDead
			return answers
		}, right},
	} {
		for _, open := range databases(t) {
			t.Run(tt.fault+"/"+open(nil).Name(), func(t *testing.T) {
				t.Parallel()
				s := suite(t, notifySpec)
				s.Batch = batching(tt.batch, tt.one)
				if got := idemtest.Try(t, s, open(t), "batch"); !strings.Contains(got, tt.says) {
					t.Fatalf("the scenario ended with %q; want %q", got, tt.says)
				}
			})
		}
	}
}
