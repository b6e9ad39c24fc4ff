// Package runtime is what generated wrappers call; it is always imported as idem:
// a wrapper claims a [Key] in a [Store], runs the handler under the run's
// context, and completes the run with what the handler returned.
//
//	run, err := idem.Claim[Receipt](ctx, store, notifySpec, key)
//	if err != nil {
//		return Receipt{}, err
//	}
//	if receipt, ok := run.Replay(); ok {
//		return receipt, nil
//	}
//	defer run.Close()
//	receipt, err := Notify(run.Context(), event)
//	return run.Complete(receipt, err)
//
// A handler that takes a transaction is claimed by [ClaimTx], and its work is
// committed with its result by [TxRun.Commit].
//
// The database decides who is first, by the unique constraint on the key;
// every later write is fenced by the owner and the attempt that it was
// claimed with. docs/protocol.md tells the whole protocol.
//
// The package imports the standard library only. The stores lie below it:
// pgstore for Postgres and sqlitestore for SQLite.
package runtime
