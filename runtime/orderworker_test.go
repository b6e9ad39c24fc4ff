package runtime_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// orderWorker is a handler with an order, and its wrapper as generated, of either
// mode: under leases, or in transactions.
type orderWorker struct {
	t     testing.TB
	db    idemtest.DB
	store idem.Store
	spec  idem.Spec
	inTx  bool
	ran   []int64 // versions that the handler was run for
}

// eachOrder runs a test on each database in both modes.
func eachOrder(t *testing.T, test func(t *testing.T, w *orderWorker)) {
	for _, inTx := range []bool{false, true} {
		t.Run(map[bool]string{false: "leases", true: "transactions"}[inTx], func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db idemtest.DB) { test(t, newOrderWorker(t, db, inTx)) })
		})
	}
}

func newOrderWorker(t testing.TB, db idemtest.DB, inTx bool) *orderWorker {
	t.Helper()
	w := &orderWorker{t: t, db: db, inTx: inTx, spec: idem.Spec{Handler: "deposit", Lease: time.Minute, Attempts: 3, Ordered: true}}
	w.store = (&txWorker{db: db}).patient(time.Hour)
	return w
}

// depositKey is the key of a version of an entity.
func depositKey(entity string, version int64) idem.Key {
	return idem.Key(fmt.Sprintf("deposit:%s:%d", entity, version))
}

func depositOrder(entity string, version int64) idem.ClaimOption {
	return idem.WithOrder(idem.NewOrder(idem.At("event.Version", version), idem.Literal("account:"), idem.String("event.AccountID", entity)))
}

// deliver is what a generated wrapper does.
func (w *orderWorker) deliver(ctx context.Context, entity string, version int64, handle func(context.Context) error) (receipt, error) {
	return w.deliverWith(ctx, depositKey(entity, version), func(ctx context.Context, _ func(string) error) error {
		w.ran = append(w.ran, version)
		return handle(ctx)
	}, receipt{ID: entity, N: version}, depositOrder(entity, version))
}

// deliverWith runs a handler that can write in its transaction, or outside of any.
func (w *orderWorker) deliverWith(ctx context.Context, key idem.Key, handle func(context.Context, func(string) error) error, result receipt, opts ...idem.ClaimOption) (receipt, error) {
	switch {
	case w.inTx && w.db.Name() == "sqlite":
		return deliverTx(ctx, w.store, w.spec, key, func(ctx context.Context, tx *sql.Tx) (receipt, error) {
			return result, handle(ctx, func(query string) error { _, err := tx.ExecContext(ctx, query); return err })
		}, opts...)
	case w.inTx:
		return deliverTx(ctx, w.store, w.spec, key, func(ctx context.Context, tx pgx.Tx) (receipt, error) {
			return result, handle(ctx, func(query string) error { _, err := tx.Exec(ctx, query); return err })
		}, opts...)
	}
	run, err := idem.Claim[receipt](ctx, w.store, w.spec, key, opts...)
	if err != nil {
		return receipt{}, err
	}
	if got, ok := run.Replay(); ok {
		return got, nil
	}
	defer run.Close()
	return run.Complete(result, handle(run.Context(), func(query string) error {
		_, err := w.db.SQL().ExecContext(ctx, query)
		return err
	}))
}

// succeed is a handler.
func succeed(context.Context) error { return nil }

// fails is a handler that returns an error.
func fails(err error) func(context.Context) error { return func(context.Context) error { return err } }

// apply delivers a version that has to be run and done.
func (w *orderWorker) apply(entity string, version int64) {
	w.t.Helper()
	before := len(w.ran)
	got, err := w.deliver(context.Background(), entity, version, succeed)
	if err != nil || got.N != version || len(w.ran) != before+1 {
		w.t.Errorf("version %d of %s: got %v, %v after %d runs", version, entity, got, err, len(w.ran)-before)
	}
}

// wantStale delivers a version that is too late, twice.
func (w *orderWorker) wantStale(entity string, version, newest int64) {
	w.t.Helper()
	before := len(w.ran)
	text := fmt.Sprintf("version %d is older than %d, the newest applied to account:%s", version, newest, entity)
	for _, ctx := range []context.Context{w.t.Context(), w.t.Context(), idem.WithDelivery(w.t.Context(), idem.Delivery{Redelivered: true})} {
		_, err := w.deliver(ctx, entity, version, succeed)
		var run *idem.RunError
		if !errors.Is(err, idem.ErrStale) || !errors.As(err, &run) || run.Err.Error() != "stale: "+text || len(w.ran) != before {
			w.t.Errorf("version %d of %s: got %v after %d runs; want it to be stale", version, entity, err, len(w.ran)-before)
		}
	}
	rec, err := w.db.Store().Lookup(w.t.Context(), depositKey(entity, version))
	if err != nil || rec.Status != idem.StatusStale || rec.Error != text {
		w.t.Errorf("version %d of %s: the row is %+v, %v", version, entity, rec, err)
	}
}

// wantEntity checks the entity's row; a version below zero stands for none.
func (w *orderWorker) wantEntity(what, entity string, version int64, held bool) {
	w.t.Helper()
	const row = "FROM job_runs_order WHERE handler = 'deposit' AND entity = $1"
	got := w.db.Count(w.t, "SELECT coalesce(max(version), -1) "+row, "account:"+entity)
	holders := w.db.Count(w.t, "SELECT count(due) "+row, "account:"+entity)
	if int64(got) != version || (holders > 0) != held {
		w.t.Errorf("%s: version %d of %s is the newest, held: %t; want %d, %t", what, got, entity, holders > 0, version, held)
	}
}

func (w *orderWorker) wantRow(what string, key idem.Key, status idem.Status, attempt, holds int) {
	w.t.Helper()
	rec, err := w.db.Store().Lookup(context.Background(), key)
	if err != nil || rec.Status != status || rec.Attempt != attempt || rec.Holds != holds {
		w.t.Errorf("%s: the row is %s, attempt %d, holds %d (%s), %v; want %s, %d, %d", what, rec.Status, rec.Attempt, rec.Holds, rec.Error, err, status, attempt, holds)
	}
}
