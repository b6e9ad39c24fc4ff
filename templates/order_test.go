package templates_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/templates"
)

// openOrdered makes a database with the table of runs, and that of entities.
func openOrdered(t *testing.T, dialect, table string) idemtest.DB {
	t.Helper()
	runs, _ := jobRuns(t, dialect, table)
	entities, _ := order(t, dialect, table)
	return openWith(t, dialect, table, runs, entities)
}

func order(t *testing.T, dialect, table string) (up, down string) {
	t.Helper()
	up, down, err := templates.Order(dialect, table)
	if err != nil {
		t.Fatal(err)
	}
	return up, down
}

// The table of entities comes and goes by itself.
func TestOrderUpDownUp(t *testing.T) {
	want := []string{"index job_runs_order_touched"}
	for _, column := range strings.Fields("handler entity version lease key owner due applied_at created_at") {
		want = append(want, "table job_runs_order."+column)
	}
	slices.Sort(want)
	tables := map[string][]string{"postgres": {"job_runs", "app.job_runs"}, "sqlite": {"job_runs"}}
	for _, dialect := range dialects {
		for _, table := range tables[dialect] {
			t.Run(dialect+"/"+table, func(t *testing.T) {
				db := openOrdered(t, dialect, table)
				there := func() []string {
					return slices.DeleteFunc(texts(t, db, catalog[dialect]), func(name string) bool { return !strings.Contains(name, "_order") })
				}
				up, down := order(t, dialect, table)
				for _, step := range []string{"", down, up} {
					if step != "" {
						db.Exec(t, step)
					}
					wanted := want
					if step == down {
						wanted = nil
					}
					if diff := cmp.Diff(wanted, there()); diff != "" && len(wanted)+len(there()) > 0 {
						t.Errorf("after %.30q:\n%s", step, diff)
					}
				}
				if len(texts(t, db, catalog[dialect])) < 20 {
					t.Error("the table of runs went with it")
				}
			})
		}
	}
}

func TestOrderInAnAttachedDatabase(t *testing.T) {
	db := open(t, "sqlite", "job_runs")
	conn, err := db.SQL().Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	up, down := order(t, "sqlite", "extra.job_runs")
	for _, query := range []string{"ATTACH ':memory:' AS extra", up, down, up} {
		if _, err := conn.ExecContext(context.Background(), query); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOrderSchemaVersion(t *testing.T) {
	for dialect, query := range map[string]string{
		"postgres": "SELECT obj_description('job_runs_order'::regclass)",
		"sqlite":   "SELECT substr(sql, instr(sql, 'idemgen'), 16) FROM sqlite_schema WHERE name = 'job_runs_order'",
	} {
		t.Run(dialect, func(t *testing.T) {
			if got := texts(t, openOrdered(t, dialect, "job_runs"), query); !slices.Equal(got, []string{"idemgen schema 1"}) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A row that says of a version no more than half is not stored, nor are two of one
// entity.
func TestEntities(t *testing.T) {
	const owner = "'11111111-1111-4111-8111-111111111111'"
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			db := openOrdered(t, dialect, "job_runs")
			for _, c := range []struct {
				name, handler, entity, version, lease, key, owner, applied string
				ok                                                         bool
			}{
				{"new", "'h'", "'e'", "NULL", "1", "'k'", owner, "NULL", true},
				{"again", "'h'", "'e'", "NULL", "1", "'k'", owner, "NULL", false},
				{"of another handler", "'i'", "'e'", "NULL", "1", "'k'", owner, "NULL", true},
				{"in other letters", "'h'", "'E'", "NULL", "1", "'k'", owner, "NULL", true},
				{"applied", "'h'", "'applied'", "7", "1", "'k'", owner, "{now}", true},
				{"applied, nobody knows when", "'h'", "'when'", "7", "1", "'k'", owner, "NULL", false},
				{"nobody knows what", "'h'", "'what'", "NULL", "1", "'k'", owner, "{now}", false},
				{"no handler", "NULL", "'x'", "NULL", "1", "'k'", owner, "NULL", false},
				{"no entity", "'h'", "NULL", "NULL", "1", "'k'", owner, "NULL", false},
				{"no lease", "'h'", "'x'", "NULL", "NULL", "'k'", owner, "NULL", false},
				{"no key", "'h'", "'x'", "NULL", "1", "NULL", owner, "NULL", false},
				{"no owner", "'h'", "'x'", "NULL", "1", "'k'", "NULL", "NULL", false},
			} {
				_, err := db.SQL().Exec(fill(db, fmt.Sprintf(`INSERT INTO job_runs_order (handler, entity, version, lease, key, owner, applied_at, created_at)
					VALUES (%s, %s, %s, %s, %s, %s, %s, {now})`, c.handler, c.entity, c.version, c.lease, c.key, c.owner, c.applied)))
				if (err == nil) != c.ok {
					t.Errorf("%s: %v", c.name, err)
				}
			}
		})
	}
}
