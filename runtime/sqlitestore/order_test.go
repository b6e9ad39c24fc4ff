package sqlitestore_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

func TestOrder(t *testing.T) {
	storetest.RunOrder(t, func(t testing.TB) storetest.MaintenanceHarness {
		h := harness(t)
		h.Exec(t, "CREATE TABLE refused (refused_name TEXT)")
		h.Exec(t, `CREATE TRIGGER refuse BEFORE DELETE ON job_runs_order WHEN OLD.entity IN (SELECT refused_name FROM refused)
			BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`)
		return storetest.MaintenanceHarness{Harness: h, Refuse: func(t testing.TB, name string) {
			h.Exec(t, fmt.Sprintf("INSERT INTO refused VALUES ('%s')", name))
		}}
	})
}

func TestOrderFaults(t *testing.T) {
	storetest.RunOrderFaults(t, func(t testing.TB, wire *storetest.Wire) storetest.Harness {
		db := open(t)
		behind := sql.OpenDB(wired{db.SQL(), wire.Do})
		t.Cleanup(func() { _ = behind.Close() })
		return storetest.Harness{
			Store:   sqlitestore.New(behind, sqlitestore.WithClock(sqlitetest.Clock)),
			Advance: db.Advance, Table: db.Table(), Exec: db.Exec, Count: db.Count,
		}
	})
}

func TestOrderInTransactions(t *testing.T) { storetest.RunOrderTx(t, txHarness) }
