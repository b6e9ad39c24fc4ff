package sqlitestore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/storetest"
	"github.com/idemgen/idemgen/templates"
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
	return storetest.Harness{Store: db.Store(), Advance: db.Advance, Table: db.Table(), Exec: db.Exec}
}

// open makes a database with the table that users get.
func open(t testing.TB) idemtest.DB {
	t.Helper()
	up, _, err := templates.JobRuns("sqlite", "job_runs")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "0001_job_runs.up.sql")
	if err := os.WriteFile(path, []byte(up), 0o644); err != nil {
		t.Fatal(err)
	}
	return sqlitetest.Open(sqlitetest.Config{Migrations: []string{path}})(t)
}
