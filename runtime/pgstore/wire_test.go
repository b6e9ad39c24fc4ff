package pgstore_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

func TestFaults(t *testing.T) {
	storetest.RunFaults(t, func(t testing.TB, wire *storetest.Wire) storetest.Harness {
		db := open(t)
		return storetest.Harness{
			Store:   pgstore.New(wired{pgtest.Pool(db), wire}, pgstore.WithClock(pgtest.Clock)),
			Advance: db.Advance, Table: db.Table(), Exec: db.Exec, Count: db.Count,
		}
	})
}

// wired is a database behind a wire.
type wired struct {
	pgstore.DB
	wire *storetest.Wire
}

func (w wired) Exec(ctx context.Context, sql string, args ...any) (tag pgconn.CommandTag, err error) {
	err = w.wire.Do(ctx, sql, func(ctx context.Context) error {
		tag, err = w.DB.Exec(ctx, sql, args...)
		return err
	})
	return tag, err
}

func (w wired) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return rowFunc(func(dest ...any) error {
		return w.wire.Do(ctx, sql, func(ctx context.Context) error {
			return w.DB.QueryRow(ctx, sql, args...).Scan(dest...)
		})
	})
}

func (w wired) Begin(ctx context.Context) (pgx.Tx, error) {
	tx, err := w.DB.Begin(ctx)
	return wiredTx{tx, w.wire}, err
}

// wiredTx is a transaction whose statements go through the wire.
type wiredTx struct {
	pgx.Tx
	wire *storetest.Wire
}

func (w wiredTx) Exec(ctx context.Context, sql string, args ...any) (tag pgconn.CommandTag, err error) {
	err = w.wire.Do(ctx, sql, func(ctx context.Context) error {
		tag, err = w.Tx.Exec(ctx, sql, args...)
		return err
	})
	return tag, err
}

type rowFunc func(dest ...any) error

func (f rowFunc) Scan(dest ...any) error { return f(dest...) }
