package templates_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/templates"
)

var dialects = []string{"postgres", "sqlite"}

// open makes a database with the table of runs.
func open(t *testing.T, dialect, table string) idemtest.DB {
	t.Helper()
	up, _ := jobRuns(t, dialect, table)
	return openWith(t, dialect, table, up)
}

// openWith makes a database by migrations.
func openWith(t *testing.T, dialect, table string, ups ...string) idemtest.DB {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, up := range ups {
		path := filepath.Join(dir, fmt.Sprintf("%04d_table.up.sql", i+1))
		if err := os.WriteFile(path, []byte(up), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if dialect == "sqlite" {
		return sqlitetest.Open(sqlitetest.Config{Table: table, Migrations: paths})(t)
	}
	return pgtest.Open(pgtest.Config{Table: table, Migrations: paths})(t)
}

func jobRuns(t *testing.T, dialect, table string) (up, down string) {
	t.Helper()
	up, down, err := templates.JobRuns(dialect, table)
	if err != nil {
		t.Fatal(err)
	}
	return up, down
}

// onBoth runs a test on a database of each dialect.
func onBoth(t *testing.T, test func(t *testing.T, db idemtest.DB)) {
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) { test(t, open(t, dialect, "job_runs")) })
	}
}

// catalog lists what the migration leaves behind.
var catalog = map[string]string{
	"postgres": `SELECT 'table ' || table_name || '.' || column_name FROM information_schema.columns WHERE table_name LIKE '%runs%'
		UNION ALL SELECT 'index ' || indexname FROM pg_indexes WHERE tablename LIKE '%runs%' AND indexname NOT LIKE '%pkey'`,
	"sqlite": `SELECT 'table ' || m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view') AND m.name LIKE '%runs%'
		UNION ALL SELECT 'index ' || name FROM sqlite_schema WHERE type = 'index' AND name LIKE '%runs%' AND name NOT LIKE 'sqlite_autoindex%'`,
}

func TestUpDownUp(t *testing.T) {
	want := []string{"index job_runs_created", "index job_runs_left", "index job_runs_running"}
	for _, table := range []string{"job_runs", "job_runs_text"} {
		for _, column := range strings.Fields("key handler status attempts holds owner due fingerprint payload result error created_at claimed_at completed_at") {
			want = append(want, "table "+table+"."+column)
		}
	}
	for _, column := range strings.Fields("task period began_at ended_at row_count error") {
		want = append(want, "table job_runs_maintenance."+column)
	}
	slices.Sort(want)
	tables := map[string][]string{"postgres": {"job_runs", "app.job_runs"}, "sqlite": {"job_runs"}}
	for _, dialect := range dialects {
		for _, table := range tables[dialect] {
			t.Run(dialect+"/"+table, func(t *testing.T) {
				db := open(t, dialect, table)
				up, down := jobRuns(t, dialect, table)
				if diff := cmp.Diff(want, texts(t, db, catalog[dialect])); diff != "" {
					t.Error("after up:\n" + diff)
				}
				db.Exec(t, down)
				if left := texts(t, db, catalog[dialect]); len(left) > 0 {
					t.Errorf("after down: %v", left)
				}
				db.Exec(t, up)
				if diff := cmp.Diff(want, texts(t, db, catalog[dialect])); diff != "" {
					t.Error("after up again:\n" + diff)
				}
			})
		}
	}
}

// An attached database is SQLite's schema; one connection sees it.
func TestAttachedDatabase(t *testing.T) {
	db := open(t, "sqlite", "job_runs")
	conn, err := db.SQL().Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	up, down := jobRuns(t, "sqlite", "extra.job_runs")
	for _, query := range []string{"ATTACH ':memory:' AS extra", up, down, up} {
		if _, err := conn.ExecContext(context.Background(), query); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	row := conn.QueryRowContext(context.Background(), "SELECT count(*) FROM extra.sqlite_schema WHERE name LIKE 'job_runs%'")
	if err := row.Scan(&n); err != nil || n != 6 {
		t.Errorf("%d objects in the attached database, %v; want two tables, three indexes and the view", n, err)
	}
}

func TestSchemaVersion(t *testing.T) {
	for dialect, query := range map[string]string{
		"postgres": "SELECT obj_description('job_runs'::regclass)",
		"sqlite":   "SELECT substr(sql, instr(sql, 'idemgen'), 16) FROM sqlite_schema WHERE name = 'job_runs_text'",
	} {
		t.Run(dialect, func(t *testing.T) {
			if got := texts(t, open(t, dialect, "job_runs"), query); !slices.Equal(got, []string{"idemgen schema 1"}) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A row that nothing could ever move again is not stored.
func TestStates(t *testing.T) {
	const owner = "'11111111-1111-4111-8111-111111111111'"
	cases := []struct {
		name, status, owner, due, completed string
		ok                                  bool
	}{
		{"running", "'running'", owner, "{now}", "NULL", true},
		{"running without owner", "'running'", "NULL", "{now}", "NULL", false},
		{"running without lease", "'running'", owner, "NULL", "NULL", false},
		{"waiting", "'waiting'", "NULL", "{now}", "NULL", true},
		{"waiting for nothing", "'waiting'", "NULL", "NULL", "NULL", false},
		{"done", "'done'", owner, "NULL", "{now}", true},
		{"done, never purged", "'done'", owner, "NULL", "NULL", false},
		{"failed", "'failed'", owner, "NULL", "{now}", true},
		{"failed, never purged", "'failed'", owner, "NULL", "NULL", false},
		{"stale", "'stale'", owner, "NULL", "{now}", true},
		{"stale, never purged", "'stale'", owner, "NULL", "NULL", false},
		{"dead", "'dead'", "NULL", "NULL", "{now}", true},
		{"unknown state", "'broken'", owner, "{now}", "{now}", false},
		{"no state", "NULL", owner, "{now}", "{now}", false},
	}
	onBoth(t, func(t *testing.T, db idemtest.DB) {
		for _, c := range cases {
			_, err := db.SQL().Exec(fill(db, fmt.Sprintf(`INSERT INTO job_runs (key, handler, status, attempts, owner, due, created_at, completed_at)
				VALUES ('%s', 'h', %s, 1, %s, %s, {now}, %s)`, c.name, c.status, c.owner, c.due, c.completed)))
			if (err == nil) != c.ok {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	})
}

func TestKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, db idemtest.DB) {
		insert := func(key string) error {
			_, err := db.SQL().Exec(fill(db, "INSERT INTO job_runs (key, handler, status, attempts, due, created_at) VALUES ("+key+", 'h', 'waiting', 1, {now}, {now})"))
			return err
		}
		for _, key := range []string{"'order-a'", "'Order-A'", "'order-a '"} {
			if err := insert(key); err != nil {
				t.Errorf("%s is a key of its own: %v", key, err)
			}
		}
		for _, key := range []string{"'order-a'", "NULL"} {
			if insert(key) == nil {
				t.Errorf("%s was stored", key)
			}
		}
	})
}

func TestView(t *testing.T) {
	blob := map[string]string{"postgres": `'\x%x'`, "sqlite": "x'%x'"}
	cases := []struct{ result, postgres, sqlite string }{
		{`{"name":"é€😀"}`, `{"name":"é€😀"}`, `{"name":"é€😀"}`},
		{"", "", ""},
		{"\xffA", `\377A`, "\xffA"},
		{"A\x00B", `A\000B`, "A\x00B"},
		{"\xed\xa0\x80", `\355\240\200`, "\xed\xa0\x80"}, // a surrogate
	}
	onBoth(t, func(t *testing.T, db idemtest.DB) {
		var want []string
		for i, c := range cases {
			db.Exec(t, fill(db, fmt.Sprintf(`INSERT INTO job_runs (key, handler, status, attempts, payload, result, created_at, completed_at)
				VALUES ('%d', 'h', 'done', 1, `+blob[db.Name()]+`, `+blob[db.Name()]+`, {now}, {now})`, i, c.result, c.result)))
			want = append(want, fmt.Sprintf("%d ", i)+map[string]string{"postgres": c.postgres, "sqlite": c.sqlite}[db.Name()])
		}
		for _, column := range []string{"payload", "result"} {
			if diff := cmp.Diff(want, texts(t, db, "SELECT key || ' ' || "+column+" FROM job_runs_text")); diff != "" {
				t.Errorf("%s: %s", column, diff)
			}
		}
	})
}

func TestViewTimes(t *testing.T) {
	db := open(t, "sqlite", "job_runs")
	db.Exec(t, `INSERT INTO job_runs (key, handler, status, attempts, owner, due, created_at, claimed_at, completed_at)
		VALUES ('k', 'h', 'running', 1, 'o', 1733026755123, 1733026755001, 1733026755999, 1733026755000)`)
	got := texts(t, db, "SELECT due || ',' || created_at || ',' || claimed_at || ',' || completed_at FROM job_runs_text")
	want := []string{"2024-12-01 04:19:15.123,2024-12-01 04:19:15.001,2024-12-01 04:19:15.999,2024-12-01 04:19:15.000"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// fill puts the dialect's clock into a query.
func fill(db idemtest.DB, query string) string {
	now := map[string]string{"postgres": "clock_timestamp()", "sqlite": "CAST(strftime('%s', 'now') AS INTEGER) * 1000"}[db.Name()]
	return strings.ReplaceAll(query, "{now}", now)
}

// texts returns a query's one column, sorted.
func texts(t *testing.T, db idemtest.DB, query string) []string {
	t.Helper()
	rows, err := db.SQL().Query(query)
	if err != nil {
		t.Fatalf("%v\nin: %s", err, query)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var text sql.NullString
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text.String)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}
