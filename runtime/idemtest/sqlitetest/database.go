package sqlitetest

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

var _ idemtest.DB = (*database)(nil)

type database struct {
	t      testing.TB
	config Config
	dsn    string
	sql    *sql.DB
	store  idem.Store
}

func (d *database) Name() string      { return "sqlite" }
func (d *database) Store() idem.Store { return d.store }
func (d *database) Table() string     { return d.config.Table }
func (d *database) SQL() *sql.DB      { return d.sql }

func (d *database) Advance(by time.Duration) {
	d.t.Helper()
	if d.config.RealClock {
		d.t.Fatal("sqlitetest: Advance with RealClock: nobody moves the computer's clock")
	}
	up := by + time.Millisecond - 1 // the store rounds a lease up, too
	d.Exec(d.t, "UPDATE idem_clock SET at = at + ?", up.Milliseconds())
}

func (d *database) Exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := d.sql.Exec(query, args...); err != nil {
		t.Fatalf("%v\nin: %s", err, query)
	}
}

func (d *database) ExecTx(ctx context.Context, tx any, query string, args ...any) error {
	own, ok := tx.(*sql.Tx)
	if !ok {
		return fmt.Errorf("sqlitetest: the handler got a transaction of type %T; want a *sql.Tx", tx)
	}
	_, err := own.ExecContext(ctx, query, args...)
	return err
}

func (d *database) Count(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	if err := d.sql.QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatalf("%v\nin: %s", err, query)
	}
	return n
}
