package runtime_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
)

// txWorker is a worker whose handler writes a row in its transaction.
type txWorker struct {
	t     testing.TB
	db    idemtest.DB
	store idem.Store
	spec  idem.Spec
	ran   int
}

func newTxWorker(t testing.TB, db idemtest.DB) *txWorker {
	t.Helper()
	db.Exec(t, "CREATE TABLE work (event text)")
	w := &txWorker{t: t, db: db, spec: leased}
	w.spec.Attempts = 3
	w.store = w.patient(time.Hour)
	return w
}

// patient is a store whose claims wait so long for another transaction.
func (w *txWorker) patient(wait time.Duration) idem.Store {
	if w.db.Name() == "sqlite" {
		return sqlitestore.New(w.db.SQL(), sqlitestore.WithClock(sqlitetest.Clock), sqlitestore.WithLockTimeout(wait))
	}
	return pgstore.New(pgtest.Pool(w.db), pgstore.WithClock(pgtest.Clock), pgstore.WithLockTimeout(wait))
}

// handled is a handler of either kind of transaction, which exec works in.
type handled func(ctx context.Context, exec func(query string) error) (receipt, error)

// deliver is what a generated wrapper does. The row is written before the handler
// goes on.
func (w *txWorker) deliver(ctx context.Context, key idem.Key, handle handled) (receipt, error) {
	insert := "INSERT INTO work VALUES ('" + string(key) + "')"
	work := func(ctx context.Context, exec func(string) error) (receipt, error) {
		w.ran++
		if err := exec(insert); err != nil {
			return receipt{}, err
		}
		return handle(ctx, exec)
	}
	if w.db.Name() == "sqlite" {
		return deliverTx(ctx, w.store, w.spec, key, func(ctx context.Context, tx *sql.Tx) (receipt, error) {
			return work(ctx, func(query string) error { _, err := tx.ExecContext(ctx, query); return err })
		})
	}
	return deliverTx(ctx, w.store, w.spec, key, func(ctx context.Context, tx pgx.Tx) (receipt, error) {
		return work(ctx, func(query string) error { _, err := tx.Exec(ctx, query); return err })
	})
}

func deliverTx[T any](ctx context.Context, store idem.Store, spec idem.Spec, key idem.Key, handle func(context.Context, T) (receipt, error), opts ...idem.ClaimOption) (receipt, error) {
	run, err := idem.ClaimTx[T, receipt](ctx, store, spec, key, opts...)
	if err != nil {
		return receipt{}, err
	}
	if result, ok := run.Replay(); ok {
		return result, nil
	}
	return run.Commit(handle)
}

// want checks how much work of a key is committed, and that nothing is held.
func (w *txWorker) want(what string, key idem.Key, rows int) {
	w.t.Helper()
	if got := w.db.Count(w.t, "SELECT count(*) FROM work WHERE event = $1", string(key)); got != rows {
		w.t.Errorf("%s: %d rows of the work; want %d", what, got, rows)
	}
	held := w.db.SQL().Stats().InUse
	if w.db.Name() == "postgres" {
		held = int(pgtest.Pool(w.db).Stat().AcquiredConns()) + w.db.Count(w.t, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND state LIKE 'idle in transaction%'`)
	}
	if held > 0 {
		w.t.Errorf("%s: a connection or a transaction is still held", what)
	}
}

// wantRow checks the run's row.
func (w *txWorker) wantRow(t *testing.T, what string, key idem.Key, status idem.Status, attempt, holds int) {
	t.Helper()
	if rec := lookup(t, w.db, key); rec.Status != status || rec.Attempt != attempt || rec.Holds != holds {
		t.Errorf("%s: the row is %s, attempt %d, holds %d (%s); want %s, %d, %d", what, rec.Status, rec.Attempt, rec.Holds, rec.Error, status, attempt, holds)
	}
}

func fine(context.Context, func(string) error) (receipt, error) { return receipt{ID: "m", N: 1}, nil }

func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
