package runtime

import "context"

// Delivery is what the broker says of a delivery, for a handler that has a
// parameter of this type, and for its logs. What nobody told is empty. None of
// it decides who is first, and no part of a key can be made of it: a message
// that is sent a second time has another message id, and every delivery
// another attempt.
type Delivery struct {
	// Source is where the delivery came from: the name of a queue, a
	// subscription, or the sender of a webhook.
	Source string
	// MessageID is the broker's name of the message. It stays the same when
	// the broker delivers again, and differs when the sender sends again.
	MessageID string
	// EventID is the sender's name of what happened, if the broker carries
	// one beside the message.
	EventID string
	// Attempt is how many times the broker has delivered the message, this
	// time included: 1 the first time, 0 if it does not count. It is not the
	// run's attempt, which the database counts.
	Attempt int
	// Redelivered says that the broker knows it has delivered this message
	// before. A duplicate of a finished run then costs one statement.
	Redelivered bool
}

type deliveryKey struct{}

// WithDelivery returns a context under which the wrappers know the delivery.
func WithDelivery(ctx context.Context, d Delivery) context.Context {
	return context.WithValue(ctx, deliveryKey{}, d)
}

// DeliveryFromContext returns what [WithDelivery] put into a context above, for
// what runs far below the handler, and whether anything was. A handler that
// needs the delivery itself takes a parameter of type [Delivery].
func DeliveryFromContext(ctx context.Context) (Delivery, bool) {
	d, ok := ctx.Value(deliveryKey{}).(Delivery)
	return d, ok
}
