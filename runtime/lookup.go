package runtime

import "context"

// Lookup makes an effect at a provider that takes no idempotency key, but can
// be asked for what it did under a reference of the caller's own, such as the
// run's [Key]. A worker can have died between the effect and its completion: so
// on every attempt but the first, find is asked before call is made. If it has
// found the effect, its result is the answer, and call is not made.
//
// It is as good as the provider's answer: a call of a dead worker that is still
// under way when find asks is made twice. Have the client give up on a call
// long before the lease is over, and the provider search what it has accepted,
// not only what it has settled.
//
// ctx is the handler's. Under a context that knows no run, and in a transaction,
// whose number of attempts does not tell whether it is the first, find is always
// asked first. The error is that of find or of call.
func Lookup[R any](ctx context.Context, find func(context.Context) (R, bool, error), call func(context.Context) (R, error)) (R, error) {
	info, ok := ctx.Value(runInfoKey{}).(*runInfo)
	if !ok || info.inTx || info.token.Attempt > 1 {
		if result, found, err := find(ctx); found || err != nil {
			return result, err
		}
	}
	return call(ctx)
}
