// Package runstable gives tests the migration of a table of runs as users
// get it. It imports the standard library and templates, and only tests
// import it.
package runstable

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/templates"
)

// Migration writes the migration to a file and returns its path.
func Migration(t testing.TB, dialect, table string) string {
	t.Helper()
	up, _, err := templates.JobRuns(dialect, table)
	return written(t, "0001_job_runs.up.sql", up, err)
}

// Order writes the migration of the entities beside the table, and returns its path.
func Order(t testing.TB, dialect, table string) string {
	t.Helper()
	up, _, err := templates.Order(dialect, table)
	return written(t, "0002_order.up.sql", up, err)
}

func written(t testing.TB, name, up string, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(up), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
