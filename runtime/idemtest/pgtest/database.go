package pgtest

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

var _ idemtest.DB = (*database)(nil)

type database struct {
	t      testing.TB
	config Config
	url    string
	pool   *pgxpool.Pool
	store  idem.Store
	once   sync.Once
	sql    *sql.DB
}

func (d *database) Name() string      { return "postgres" }
func (d *database) Store() idem.Store { return d.store }
func (d *database) Table() string     { return d.config.Table }

func (d *database) SQL() *sql.DB {
	d.once.Do(func() {
		d.sql = stdlib.OpenDBFromPool(d.pool)
		d.t.Cleanup(func() { _ = d.sql.Close() })
	})
	return d.sql
}

func (d *database) Advance(by time.Duration) {
	d.t.Helper()
	if d.config.RealClock {
		d.t.Fatal("pgtest: Advance with RealClock: nobody moves the database's own clock")
	}
	up := by + time.Microsecond - 1 // the store rounds a lease up, too
	d.Exec(d.t, "UPDATE idem_clock SET at = at + $1 * interval '1 microsecond'", up.Microseconds())
}

func (d *database) Exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := d.pool.Exec(context.Background(), query, args...); err != nil {
		t.Fatalf("%v\nin: %s", err, query)
	}
}

func (d *database) ExecTx(ctx context.Context, tx any, query string, args ...any) error {
	own, ok := tx.(pgx.Tx)
	if !ok {
		return fmt.Errorf("pgtest: the handler got a transaction of type %T; want a pgx.Tx", tx)
	}
	_, err := own.Exec(ctx, query, args...)
	return err
}

func (d *database) Count(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	if err := d.pool.QueryRow(context.Background(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%v\nin: %s", err, query)
	}
	return n
}
