package templates_test

import (
	"strings"
	"testing"
)

// The sweeper and the purge never read the whole table.
func TestIndexesAreUsedSQLite(t *testing.T) {
	db := open(t, "sqlite", "job_runs")
	for index, query := range map[string]string{
		"job_runs_running": "SELECT key FROM job_runs WHERE status = 'running' AND due <= 5 ORDER BY created_at LIMIT 100",
		"job_runs_created": `SELECT key FROM job_runs WHERE handler = 'notify' AND status IN ('done', 'failed', 'dead')
			AND completed_at < 5 AND created_at < 5 ORDER BY created_at LIMIT 100`,
		"job_runs_left": "SELECT count(*) FROM job_runs WHERE status = 'dead' AND status IN ('waiting', 'dead')",
	} {
		var id, parent, unused int
		var plan string
		if err := db.SQL().QueryRow("EXPLAIN QUERY PLAN "+query).Scan(&id, &parent, &unused, &plan); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan, index) {
			t.Errorf("%s is not used:\n%s", index, plan)
		}
	}
}

// A value of a wrong kind is refused, not kept as it came.
func TestStrictTypes(t *testing.T) {
	db := open(t, "sqlite", "job_runs")
	for _, created := range []string{"'2024-12-01'", "1.5"} {
		if _, err := db.SQL().Exec("INSERT INTO job_runs (key, handler, status, attempts, due, created_at) VALUES ('k', 'h', 'waiting', 1, 0, " + created + ")"); err == nil {
			t.Errorf("created_at = %s was stored", created)
		}
	}
}
