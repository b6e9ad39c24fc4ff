package sqlitestore_test

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/internal/runstable"
	"github.com/idemgen/idemgen/runtime/storetest"
)

func TestStore(t *testing.T) { storetest.Run(t, harness) }

func TestOneWinner2000(t *testing.T) { storetest.OneWinner(t, harness, rounds(2000), 8) }

func rounds(n int) int {
	if testing.Short() || raceDetector {
		return n / 20
	}
	return n
}

func harness(t testing.TB) storetest.Harness {
	db := open(t)
	return storetest.Harness{Store: db.Store(), Advance: db.Advance, Table: db.Table(), Exec: db.Exec, Count: db.Count}
}

// open makes a database with the table that users get.
func open(t testing.TB) idemtest.DB {
	t.Helper()
	return sqlitetest.Open(sqlitetest.Config{Migrations: []string{runstable.Migration(t, "sqlite", "job_runs"), runstable.Order(t, "sqlite", "job_runs")}})(t)
}
