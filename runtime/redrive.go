package runtime

import (
	"context"
	"errors"
	"fmt"
)

// ErrPayload says that the event cannot be stored for a redrive, or that what is
// stored is not the event of its run any more. Nothing was claimed. Delivering
// again does not help.
var ErrPayload = errors.New("bad payload")

// WithPayload has the run keep its event, for [Redrive], until it is done,
// failed or stale: event points to it, and the store's [Codec] encodes it, for
// each delivery.
func WithPayload(event any) ClaimOption {
	return func(o claimOptions) claimOptions {
		o.event = event
		return o
	}
}

// payload encodes the event of a delivery, if it is kept.
func (s settings) payload(spec Spec, key Key, event any) ([]byte, error) {
	if event == nil {
		return nil, nil
	}
	data, err := s.encode(key, event)
	if err != nil {
		return nil, spec.wrap("claim", key, fmt.Errorf("%w: %w", ErrPayload, err))
	}
	return data, nil
}

// Redriven is a run that a redrive took up, and what its delivery was answered.
type Redriven struct {
	Key Key
	// Err is what the wrapper returned: nil if the run is done, by whomever. It
	// wraps [ErrPayload] if there was nothing to deliver.
	Err error
}

// redrivePage bounds the events that are in memory at once: each can have
// [MaxResultBytes].
const redrivePage = 16

// Redrive delivers stored events again, oldest run first and at most limit of
// them: of runs that wait and are due, and of running ones whose lease is over. It
// is for messages that the broker does not deliver again, and is safe beside its
// deliveries, and in several processes at once: deliver claims the key, as for any
// delivery. The events were stored by [WithPayload].
//
// An event that cannot be read, or has another key than its run by now, because
// the program has changed, is passed over, told with [ErrPayload], and does not
// count towards the limit. The error is the store's, or that of ctx, and comes with
// what was delivered before; or the store is no [Maintainer].
func Redrive[E any](ctx context.Context, store Store, spec Spec, limit int, keyOf func(E) (Key, error), deliver func(context.Context, E) error) ([]Redriven, error) {
	m, settings, err := maintainer(store)
	if err != nil {
		return nil, err
	}
	var list []Redriven
	var after Undelivered
	ctx = WithDelivery(ctx, Delivery{Source: "redrive", Redelivered: true})
	for delivered := 0; delivered < limit; {
		want := min(limit-delivered, redrivePage)
		page, err := m.Undelivered(ctx, spec.Handler, after, want)
		if err != nil {
			return list, err
		}
		for _, run := range page {
			if err := ctx.Err(); err != nil {
				return list, err
			}
			after = run
			event, err := readEvent(settings, run, keyOf)
			if err == nil {
				delivered++
				err = deliver(ctx, event)
			}
			list = append(list, Redriven{run.Key, err})
		}
		if len(page) < want {
			break
		}
	}
	return list, nil
}

// readEvent reads the event of a run, and makes sure that it is this run's.
func readEvent[E any](s settings, run Undelivered, keyOf func(E) (Key, error)) (event E, err error) {
	if err := s.decode(run.Key, run.Payload, &event); err != nil {
		return event, fmt.Errorf("idem: redrive %q: %w as %T: %w", string(run.Key), ErrPayload, event, err)
	}
	key, err := keyOf(event)
	if err == nil && key != run.Key {
		err = fmt.Errorf("the event's key is now %q", string(key))
	}
	if err != nil {
		return event, fmt.Errorf("idem: redrive %q: %w: %w", string(run.Key), ErrPayload, err)
	}
	return event, nil
}
