package runtime

import "context"

// Delivery is what the broker says of a delivery.
type Delivery struct {
	// Redelivered says that the broker knows it has delivered this message
	// before. A duplicate of a finished run then costs one statement.
	Redelivered bool
}

type (
	deliveryKey struct{}
	runKeyKey   struct{}
)

// WithDelivery returns a context under which the wrappers know the delivery.
func WithDelivery(ctx context.Context, d Delivery) context.Context {
	return context.WithValue(ctx, deliveryKey{}, d)
}

func deliveryFrom(ctx context.Context) Delivery {
	d, _ := ctx.Value(deliveryKey{}).(Delivery)
	return d
}

// KeyFromContext returns the key of the run whose handler was given ctx, for
// clients far below the handler that call a provider. A handler that needs
// the key itself takes a parameter of type [Key].
func KeyFromContext(ctx context.Context) (Key, bool) {
	key, ok := ctx.Value(runKeyKey{}).(Key)
	return key, ok
}
