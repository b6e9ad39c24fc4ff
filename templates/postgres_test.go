package templates_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/templates"
)

const insertRuns = `INSERT INTO job_runs (key, handler, status, attempts, owner, due, created_at, completed_at)
	SELECT 'notify:' || i, 'notify', CASE WHEN i > 29900 THEN 'running' ELSE 'done' END, 1, gen_random_uuid(),
		now() + (i - 29950) * interval '1 minute', now() - (30000 - i) * interval '2 minutes', now() - (30000 - i) * interval '2 minutes'
	FROM generate_series(1, 30000) i;`

// The sweeper and the purge never read the whole table, whatever the planner
// knows of it. Both say ORDER BY: a LIMIT alone makes a sequential scan look
// cheap, because the planner expects a third of the rows to be old enough.
func TestIndexesAreUsedPostgres(t *testing.T) {
	plans := map[string]string{
		"job_runs_running": `SELECT key FROM job_runs WHERE status = 'running' AND due <= clock_timestamp() ORDER BY created_at LIMIT 100`,
		"job_runs_created": `SELECT key FROM job_runs WHERE handler = 'notify' AND status IN ('done', 'failed', 'dead')
			AND completed_at < (SELECT clock_timestamp()) - interval '30 days' AND created_at < (SELECT clock_timestamp()) - interval '30 days' ORDER BY created_at LIMIT 100`,
		"job_runs_left": `SELECT count(*) FROM (SELECT 1 FROM job_runs WHERE status = 'dead' AND status IN ('waiting', 'dead') LIMIT 100) AS dead`,
	}
	for name, analyse := range map[string][2]string{"never analysed": {}, "analysed while empty": {"ANALYZE job_runs;", ""}, "analysed": {"", "ANALYZE job_runs;"}} {
		t.Run(name, func(t *testing.T) {
			db := open(t, "postgres", "job_runs")
			db.Exec(t, "ALTER TABLE job_runs SET (autovacuum_enabled = off);"+analyse[0]+insertRuns+analyse[1])
			for index, query := range plans {
				plan := strings.Join(texts(t, db, "EXPLAIN "+query), "\n")
				if !strings.Contains(plan, index) || strings.Contains(plan, "Seq Scan") {
					t.Errorf("%s is not used:\n%s", index, plan)
				}
			}
		})
	}
}

// Extending a lease touches no index, also where other runs have filled the
// page since.
func TestExtendIsHOT(t *testing.T) {
	db := open(t, "postgres", "job_runs")
	db.Exec(t, insertRuns)
	hot := 0
	err := pgx.BeginFunc(context.Background(), pgtest.Pool(db), func(tx pgx.Tx) error {
		if _, err := tx.Exec(context.Background(), "UPDATE job_runs SET due = clock_timestamp() + interval '5 minutes' WHERE key BETWEEN 'notify:29901' AND 'notify:29905'"); err != nil {
			return err
		}
		return tx.QueryRow(context.Background(), "SELECT pg_stat_get_xact_tuples_hot_updated('job_runs'::regclass)").Scan(&hot)
	})
	if err != nil {
		t.Fatal(err)
	}
	if hot != 5 {
		t.Errorf("%d of 5 updates were HOT", hot)
	}
}

const beginTask = `INSERT INTO job_runs_maintenance (task, period, began_at) VALUES ('sweep', '1 s', now()) ON CONFLICT DO NOTHING RETURNING task`

// granted are what the grants are for.
var granted = map[string]string{
	"insert":        `INSERT INTO job_runs (key, handler, status, attempts, due, created_at) VALUES ('k', 'h', 'waiting', 1, now(), now()) ON CONFLICT (key) DO NOTHING RETURNING key`,
	"update":        `UPDATE job_runs SET due = now() WHERE key = 'k' RETURNING key`,
	"delete":        `DELETE FROM job_runs WHERE created_at < now()`,
	"read":          `SELECT * FROM job_runs_text`,
	"read runs":     `SELECT count(*) FROM job_runs`,
	"begin a task":  beginTask,
	"end a task":    `UPDATE job_runs_maintenance SET ended_at = now() WHERE task = 'sweep'`,
	"enter":         `INSERT INTO job_runs_order (handler, entity, lease, key, owner, created_at) VALUES ('h', 'e', 1, 'k', gen_random_uuid(), now()) ON CONFLICT (handler, entity) DO NOTHING RETURNING lease`,
	"apply":         `UPDATE job_runs_order SET version = 1, applied_at = now() WHERE entity = 'e'`,
	"forget":        `DELETE FROM job_runs_order WHERE created_at < now()`,
	"read entities": `SELECT * FROM job_runs_order`,
	"delete a task": `DELETE FROM job_runs_maintenance`,
	"read tasks":    `SELECT * FROM job_runs_maintenance`,
}

// mayDo says which of them each role needs.
var mayDo = map[string][]string{
	"workers": {"insert", "update", "read runs", "enter", "apply", "read entities"},
	"sweeper": {"update", "read runs", "begin a task", "end a task", "read tasks"},
	"purge":   {"delete", "read runs", "begin a task", "end a task", "read tasks", "forget", "read entities"},
	"health":  {"read runs", "read tasks"},
	"people":  {"read", "read tasks", "read entities"},
}

// The grants in the migrations' comments are enough, and not more than that.
func TestGrants(t *testing.T) {
	db := openOrdered(t, "postgres", "job_runs")
	grants, err := templates.Grants("job_runs")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(mayDo)), slices.Sorted(maps.Keys(grants))); diff != "" {
		t.Fatal(diff)
	}
	for role, list := range grants {
		tx, err := pgtest.Pool(db).Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		run := func(query string) error { _, err := tx.Exec(context.Background(), query); return err }
		name := "idemgen_test_" + role
		setUp := []string{"CREATE ROLE " + name}
		for _, grant := range list {
			setUp = append(setUp, grant+" TO "+name)
		}
		for _, query := range append(setUp, "SET LOCAL ROLE "+name) {
			if err := run(query); err != nil {
				t.Fatal(err)
			}
		}
		for what, query := range granted {
			if err := run("SAVEPOINT s"); err != nil {
				t.Fatal(err)
			}
			if err := run(query); (err == nil) != slices.Contains(mayDo[role], what) {
				t.Errorf("%s: %s: %v", role, what, err)
			}
			if err := run("ROLLBACK TO s"); err != nil {
				t.Fatal(err)
			}
		}
		_ = tx.Rollback(context.Background())
	}
}

// Keys are compared byte by byte, whatever the database's own collation: one
// that is not deterministic takes order-a for Order-A.
func TestCollation(t *testing.T) {
	db := open(t, "postgres", "job_runs")
	got := texts(t, db, `SELECT attname || ' ' || collname FROM pg_attribute a JOIN pg_collation c ON c.oid = a.attcollation
		WHERE attrelid = 'job_runs'::regclass AND attname IN ('key', 'handler', 'status')`)
	if diff := cmp.Diff([]string{"handler C", "key C", "status C"}, got); diff != "" {
		t.Error(diff)
	}
}
