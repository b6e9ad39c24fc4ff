package sqlgen

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// ordered is a handler with an order.
func ordered(namespace string) *spec.Handler {
	h := handler(namespace, nil, placeholder("event.ID", spec.EncodeString))
	h.Lease = 5 * time.Minute
	h.Order = &spec.Order{Entity: spec.KeyTemplate{Text: "account:{event.AccountID}"}, Version: placeholder("event.Version", spec.EncodeAt)}
	return h
}

// The table of entities comes with the first order, behind the table of runs,
// and stays when the last order is gone, though nothing needs it then.
func TestOrderMigration(t *testing.T) {
	both := func(handlers ...*spec.Handler) *spec.Spec {
		s := project(spec.Postgres, handlers...)
		s.Config.Dialects = dialects
		return s
	}
	root := write(nil, mustEmit(t, both(notify()), nil))
	without := slices.Sorted(maps.Keys(root))

	out := mustEmit(t, both(notify(), ordered("deposit"), ordered("withdraw")), root)
	wanted := []string{
		"audit/postgres/job_runs.sql", "audit/sqlite/job_runs.sql", "idemgen.lock",
		"migrations/postgres/0002_idemgen_order.down.sql", "migrations/postgres/0002_idemgen_order.up.sql",
		"migrations/sqlite/0002_idemgen_order.down.sql", "migrations/sqlite/0002_idemgen_order.up.sql",
	}
	if diff := cmp.Diff(wanted, changed(root, out)); diff != "" {
		t.Error(diff)
	}
	for _, d := range dialects {
		dir := "migrations/" + string(d)
		if diff := cmp.Diff([]string{dir + "/0001_idemgen_job_runs.up.sql", dir + "/0002_idemgen_order.up.sql"}, out.Up[d]); diff != "" {
			t.Error(diff)
		}
	}
	root = write(root, out)
	if got := changed(root, mustEmit(t, both(notify(), ordered("deposit"), ordered("withdraw")), root)); got != nil {
		t.Errorf("a second emission changes %v", got)
	}

	out = mustEmit(t, both(notify()), root)
	if diff := cmp.Diff([]string{"audit/postgres/job_runs.sql", "audit/sqlite/job_runs.sql"}, changed(root, out)); diff != "" {
		t.Error(diff)
	}
	if got := frozenPaths(out); !slices.Contains(got, "migrations/postgres/0002_idemgen_order.up.sql") || len(out.Up[spec.Postgres]) != 1 {
		t.Errorf("of a project without an order %v are frozen, and %v applied", got, out.Up)
	}
	root = write(root, out)
	if got := len(slices.Sorted(maps.Keys(root))); got != len(without)+4 {
		t.Errorf("%d files, and %d before there was an order", got, len(without))
	}
}

// An edited migration of entities is named, as any other is.
func TestOrderMigrationIsFrozen(t *testing.T) {
	s := project(spec.SQLite, ordered("deposit"))
	root := write(nil, mustEmit(t, s, nil))
	const file = "migrations/0002_idemgen_order.up.sql"
	root[file] = &fstest.MapFile{Data: []byte(strings.Replace(string(root[file].Data), "lease ", "rent ", 1))}
	_, err := emit(s, root)
	checkErrors(t, err, []string{file + ":"})
	delete(root, file)
	if got := changed(root, mustEmit(t, s, root)); len(got) != 1 || got[0] != file {
		t.Errorf("a missing migration: %v are written", got)
	}
}

// The migration of entities comes in the layout of every tool, on both databases
// where the tool knows them.
func TestOrderLayouts(t *testing.T) {
	for tool, file := range map[string]string{
		"plain": "0002_idemgen_order.up.sql", "golang-migrate": "000002_idemgen_order.up.sql", "goose": "00002_idemgen_order.sql",
		"tern": "002_idemgen_order.sql", "dbmate": "0002_idemgen_order.sql", "atlas": "0002_idemgen_order.sql",
	} {
		s := project(spec.Postgres, ordered("deposit"))
		s.Config.Migrations.Tool = tool
		if up := mustEmit(t, s, nil).Up[spec.Postgres]; len(up) != 2 || up[1] != "migrations/"+file {
			t.Errorf("%s: %v", tool, up)
		}
	}
}

// entities are rows of the table of entities. Due is an age.
var entities = []struct {
	handler, entity, key string
	due                  time.Duration
}{
	{"deposit", "account:free", "deposit:0", never},
	{"deposit", "account:held", "deposit:1", -time.Minute},
	{"deposit", "account:over", "deposit:2", 4 * time.Minute}, // not for as long again
	{"deposit", "account:left", "deposit:3", 6 * time.Minute},
	{"deposit", "account:purged", "deposit:4", 9 * time.Minute},
	{"withdraw", "account:left", "withdraw:5", 6*time.Minute + 30*time.Second},
	{"notify", "account:left", "notify:6", time.Hour}, // which has no order any more
}

// An entity that nobody takes, and the runs that were stale.
func TestAuditOfOrders(t *testing.T) {
	const day = 24 * time.Hour
	for _, retain := range []time.Duration{30 * day, 0} {
		deposit, withdraw := ordered("deposit"), ordered("withdraw")
		deposit.Retain, withdraw.Retain = retain, retain
		want := []string{
			"state deposit stale 2", "state deposit waiting 1",
			"entity left deposit account:purged deposit:4 <nil>", "entity left withdraw account:left withdraw:5 <nil>", "entity left deposit account:left deposit:3 waiting",
		}
		for _, d := range dialects {
			t.Run(string(d)+" "+retain.String(), func(t *testing.T) {
				w := emitTo(t, project(d, deposit, withdraw))
				db := w.open(t, d, "job_runs")
				insertRun(t, db, "deposit", run{"deposit:3", "waiting", 2, 0, time.Minute, time.Hour, never})
				insertRun(t, db, "deposit", run{"deposit:7", "stale", 1, 0, never, time.Hour, time.Hour})
				insertRun(t, db, "deposit", run{"deposit:8", "stale", 1, 0, never, time.Hour, time.Hour})
				for _, e := range entities {
					due := "NULL"
					if e.due != never {
						due = ago(db, e.due)
					}
					db.Exec(t, fmt.Sprintf(`INSERT INTO job_runs_order (handler, entity, lease, key, owner, due, created_at)
						VALUES ('%s', '%s', 1, '%s', '11111111-1111-4111-8111-111111111111', %s, %s)`, e.handler, e.entity, e.key, due, ago(db, day)))
				}
				got := findings(t, db, w.read(t, "audit/job_runs.sql"), "handler", "entity", "key", "status", "run_count")
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				inShell(t, db, filepath.Join(w.dir, "audit", "job_runs.sql"), len(want))
			})
		}
	}
}

// Findings are numbered through, whether runs expire or not.
func TestAuditNumbersOfOrders(t *testing.T) {
	h := ordered("deposit")
	for retain, number := range map[time.Duration]string{0: "\n-- 7. entity left: ", time.Hour: "\n-- 8. entity left: "} {
		h.Retain = retain
		if text := string(archive(mustEmit(t, project(spec.Postgres, h), nil))); !strings.Contains(text, number) {
			t.Errorf("no %q", number)
		}
	}
}
