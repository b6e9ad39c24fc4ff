package sqlgen

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldens are the specs whose output stands in testdata.
func goldens() map[string]*spec.Spec {
	timed := &spec.Audit{Table: "notifications", Columns: []string{"external_event_id"}, Time: "sent_at", Since: 7 * 24 * time.Hour}
	plain := project(spec.Postgres, handler("notify", timed, placeholder("event.ID", spec.EncodeString)))

	sqlite := project(spec.SQLite, handler("notify", timed, placeholder("event.ID", spec.EncodeString)))
	sqlite.Config.Migrations.Tool = "golang-migrate"

	all := project(spec.Postgres,
		handler("refund", &spec.Audit{Table: "shop.refunds", Columns: []string{"order_id", "user"}, Time: "at"},
			placeholder("event.Order.ID", spec.EncodeInt), optional("event.User", spec.EncodeText)),
		handler("job_runs", &spec.Audit{Table: "pages", Columns: []string{"url"}}, placeholder("a", spec.EncodeString), placeholder("b", spec.EncodeBool)),
		handler("daily", &spec.Audit{Table: "days", Columns: []string{"a"}, Time: "at"}, placeholder("a", spec.EncodeString), placeholder("b", spec.EncodeBool)),
		handler("silent", nil, placeholder("a", spec.EncodeString)),
		handler("report", &spec.Audit{Table: "reports", Columns: []string{"tenant", "sent"}},
			verbs(placeholder("event.Tenant", spec.EncodeString), spec.VerbTrim), optional("event.Sent", spec.EncodeDate)),
		handler("login", &spec.Audit{Table: "logins", Columns: []string{"token"}}, verbs(placeholder("event.Token", spec.EncodeString), spec.VerbHash)))
	all.Files[0].Handlers[3].Retain = 0
	all.Config.Dialects = []spec.Dialect{spec.Postgres, spec.SQLite}
	all.Config.Table = "runs"
	all.Config.Migrations = spec.Migrations{Dir: "db/migrations", Tool: "goose"}

	order := project(spec.Postgres, ordered("deposit"), ordered("withdraw"), notify())
	order.Config.Dialects = []spec.Dialect{spec.Postgres, spec.SQLite}
	return map[string]*spec.Spec{"plain": plain, "sqlite": sqlite, "all": all, "order": order, "upserts": upsertGolden()}
}

func TestGolden(t *testing.T) {
	for name, s := range goldens() {
		t.Run(name, func(t *testing.T) {
			got := archive(mustEmit(t, s, fstest.MapFS{}))
			path := filepath.Join("testdata", name+".txtar")
			if *update {
				if err := os.WriteFile(path, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s, to be rewritten with -update:\n%s", path, diff)
			}
		})
	}
}

// archive is all the output in one text.
func archive(out Output) []byte {
	root := write(nil, out)
	a := &txtar.Archive{}
	for _, path := range slices.Sorted(maps.Keys(root)) {
		a.Files = append(a.Files, txtar.File{Name: path, Data: root[path].Data})
	}
	return txtar.Format(a)
}

// An emission does not depend on what was there before, nor on the order of
// anything.
func TestSecondEmissionChangesNothing(t *testing.T) {
	for name, s := range goldens() {
		root := write(nil, mustEmit(t, s, nil))
		out := mustEmit(t, s, root)
		if got := changed(root, out); got != nil {
			t.Errorf("%s: %v", name, got)
		}
		if diff := cmp.Diff(mustEmit(t, s, nil).Up, out.Up); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Whatever a namespace is, its file is its own.
func TestAuditPaths(t *testing.T) {
	audit := &spec.Audit{Table: "pages", Columns: []string{"url"}}
	var handlers []*spec.Handler
	for _, namespace := range []string{"job_runs", "job_runs-2", "job_runs-handler", "job_runs.sql", "job_runs-2-2", "job_runs_2"} {
		handlers = append(handlers, handler(namespace, audit, placeholder("a", spec.EncodeString)))
	}
	files := map[string]bool{}
	for _, f := range mustEmit(t, project(spec.Postgres, handlers...), nil).Files {
		if files[f.Path] {
			t.Errorf("two files are %s", f.Path)
		}
		files[f.Path] = true
	}
	for _, path := range []string{"audit/job_runs.sql", "audit/job_runs+handler.sql", "audit/job_runs-2.sql"} {
		if !files[path] {
			t.Errorf("no file is %s", path)
		}
	}
}

func TestReservedTable(t *testing.T) {
	for _, table := range []string{"order", "user.job_runs"} {
		s := project(spec.Postgres, notify())
		s.Config.Table, s.Config.TablePos = table, spec.Pos{File: "idemgen.yaml", Line: 3, Col: 8}
		_, err := emit(s, fstest.MapFS{})
		checkErrors(t, err, []string{"idemgen.yaml:3:8: the table's name " + table + " has the reserved word "})
	}
}

// All that is wrong is said at once.
func TestAllErrors(t *testing.T) {
	pos := spec.Pos{File: "jobs/notify.go", Line: 7, Col: 3}
	s := project(spec.Postgres, handler("notify", &spec.Audit{Pos: pos, Table: "X", Columns: []string{"a b"}}, placeholder("a", spec.EncodeString)))
	root := fstest.MapFS{LockName: {Data: []byte("nonsense\n")}}
	_, err := emit(s, root)
	checkErrors(t, err, []string{"idemgen.lock:1:1: this is not", "jobs/notify.go:7:3: ", "jobs/notify.go:7:3: "})
}

// Nothing but a name reaches SQL as a name.
func TestNamesAreChecked(t *testing.T) {
	pos := spec.Pos{File: "jobs/notify.go", Line: 7, Col: 3}
	for _, audit := range []spec.Audit{
		{Pos: pos, Table: "x; DROP TABLE y", Columns: []string{"a"}},
		{Pos: pos, Table: "x", Columns: []string{"a) OR (1"}},
		{Pos: pos, Table: "x", Columns: []string{"a"}, Time: "now()"},
	} {
		_, err := emit(project(spec.Postgres, handler("notify", &audit, placeholder("a", spec.EncodeString))), fstest.MapFS{})
		checkErrors(t, err, []string{"jobs/notify.go:7:3: "})
	}
	h := handler("notify", &spec.Audit{Table: "x", Columns: []string{"a"}}, placeholder("a", spec.EncodeString))
	s := project(spec.Postgres, h)
	h.File.Path = "jobs/x\nDROP TABLE y;\n.go"
	h.Key.Parts[0].Literal = "it's"
	text := string(archive(mustEmit(t, s, fstest.MapFS{})))
	if strings.Contains(text, "\nDROP TABLE y") || !strings.Contains(text, "'it''s'") {
		t.Errorf("a text got out of its place:\n%s", text)
	}
}
