package runtime

import "context"

// runContext is the handler's context: it knows the run. It is a field of the
// run rather than a context.WithValue, which would be an allocation more.
type runContext struct {
	context.Context
	info *runInfo
}

// runInfo is what is told of a run below its handler.
type runInfo struct {
	handler  string
	token    Token
	delivery Delivery
}

type runInfoKey struct{}

func (c *runContext) Value(key any) any {
	if key == (runInfoKey{}) {
		return c.info
	}
	return c.Context.Value(key)
}

// KeyFromContext returns the key of the run whose handler was given ctx, for
// clients far below the handler that call a provider. A handler that needs
// the key itself takes a parameter of type [Key].
func KeyFromContext(ctx context.Context) (Key, bool) {
	info, ok := ctx.Value(runInfoKey{}).(*runInfo)
	if !ok {
		return "", false
	}
	return info.token.Key, true
}
