package runtime

import (
	"context"
	"sync/atomic"
)

// runContext is the handler's context: it knows the run. It is a field of the
// run rather than a context.WithValue, which would be an allocation more.
type runContext struct {
	context.Context
	info *runInfo
}

// runInfo is what is told of a run below its handler. While the handler runs,
// only the answer is written.
type runInfo struct {
	handler  string
	token    Token
	holds    int
	delivery Delivery
	inTx     bool          // an attempt that left nothing behind has the same number
	answer   atomic.Uint32 // an Answer
}

func (i *runInfo) job() Job {
	return Job{Handler: i.handler, Key: i.token.Key, Delivery: i.delivery, Attempt: i.token.Attempt}
}

func (i *runInfo) outcome() Answer { return Answer(i.answer.Load()) }

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

// AttemptFromContext returns the number of the attempt whose handler was given
// ctx: 1 unless an earlier one ended without an outcome. The database counts
// it; what the broker counts is in [Delivery]. In a transaction, one that was
// rolled back because its worker died, or to be done again, is not counted.
func AttemptFromContext(ctx context.Context) (int, bool) {
	info, ok := ctx.Value(runInfoKey{}).(*runInfo)
	if !ok {
		return 0, false
	}
	return info.token.Attempt, true
}
