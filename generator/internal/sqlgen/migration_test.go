package sqlgen

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/templates"
)

var dialects = []spec.Dialect{spec.Postgres, spec.SQLite}

// project on disk, with all that is emitted for it.
type written struct {
	dir string
	out Output
}

func emitTo(t *testing.T, s *spec.Spec) written {
	t.Helper()
	dir := t.TempDir()
	out, err := Emit(s, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range out.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return written{dir, out}
}

// open makes a database with the migrations applied.
func (w written) open(t *testing.T, d spec.Dialect, table string) idemtest.DB {
	t.Helper()
	var up []string
	for _, file := range w.out.Up[d] {
		up = append(up, filepath.Join(w.dir, filepath.FromSlash(file)))
	}
	if d == spec.SQLite {
		return sqlitetest.Open(sqlitetest.Config{Table: table, Migrations: up, RealClock: true})(t)
	}
	return pgtest.Open(pgtest.Config{Table: table, Migrations: up, RealClock: true})(t)
}

func (w written) read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What each tool's files have around the statements.
func TestLayouts(t *testing.T) {
	for tool, want := range map[string]map[string]string{
		"plain":          {"0001_idemgen_job_runs.up.sql": "UP\n", "0001_idemgen_job_runs.down.sql": "DOWN\n"},
		"golang-migrate": {"000001_idemgen_job_runs.up.sql": "UP\n", "000001_idemgen_job_runs.down.sql": "DOWN\n"},
		"goose":          {"00001_idemgen_job_runs.sql": "-- +goose Up\nUP\n\n-- +goose Down\nDOWN\n"},
		"tern":           {"001_idemgen_job_runs.sql": "UP\n\n---- create above / drop below ----\nDOWN\n"},
		"dbmate":         {"0001_idemgen_job_runs.sql": "-- migrate:up\nUP\n\n-- migrate:down\nDOWN\n"},
		"atlas": {"0001_idemgen_job_runs.sql": `-- For Atlas: run atlas migrate hash when this file is new, so that atlas.sum
-- knows it. It has no way down: atlas migrate down computes one. Add the table
-- to the desired schema, or atlas migrate diff plans to drop it.
--
UP
`},
	} {
		s := project(spec.Postgres, notify())
		s.Config.Migrations.Tool = tool
		up, down, err := templates.JobRuns("postgres", s.Config.Table)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, f := range mustEmit(t, s, nil).Files {
			if f.Frozen {
				got[path.Base(f.Path)] = strings.NewReplacer(up, "UP\n", down, "DOWN\n").Replace(string(f.Data))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", tool, diff)
		}
	}
}

// steps returns what a tool runs to go up and down. Atlas makes of its own
// what goes down.
func (w written) steps(t *testing.T, s *spec.Spec, upPath string) (up, down string) {
	t.Helper()
	text := w.read(t, upPath)
	split := func(first, second string) (string, string) {
		up, down, ok := strings.Cut(text, second)
		if !ok || !strings.HasPrefix(up, first) {
			t.Fatalf("%q and %q are not there:\n%s", first, second, text)
		}
		return up, down
	}
	switch s.Config.Migrations.Tool {
	case "goose":
		return split("-- +goose Up\n", "\n-- +goose Down\n")
	case "tern":
		if strings.Contains(text, "{{") {
			t.Errorf("tern takes it for a template:\n%s", text)
		}
		return split("", ternMark)
	case "dbmate":
		return split("-- migrate:up\n", "\n-- migrate:down\n")
	case "atlas":
		_, down, err := templates.JobRuns(string(s.Config.Dialects[0]), s.Config.Table)
		if err != nil {
			t.Fatal(err)
		}
		return text, down
	default:
		return text, w.read(t, strings.Replace(upPath, ".up.", ".down.", 1))
	}
}

// What is emitted as up builds the table, also when the tests of a project
// read it; what goes down takes it away; and both are right one after the
// other.
func TestLayoutsUpDownUp(t *testing.T) {
	tables := map[spec.Dialect][]string{spec.Postgres: {"job_runs", "app.job_runs"}, spec.SQLite: {"job_runs"}}
	for _, d := range dialects {
		for _, tool := range toolsFor(d) {
			for _, table := range tables[d] {
				t.Run(string(d)+"/"+tool+"/"+table, func(t *testing.T) {
					s := project(d, notify())
					s.Config.Migrations.Tool, s.Config.Table = tool, table
					w := emitTo(t, s)
					db := w.open(t, d, table)
					up, down := w.steps(t, s, w.out.Up[d][0])
					count := "SELECT count(*) FROM " + table + "_text"
					if n := db.Count(t, count); n != 0 {
						t.Errorf("%d runs in a new table", n)
					}
					db.Exec(t, down)
					if _, err := db.SQL().Exec(count); err == nil {
						t.Error("the view is there after down")
					}
					db.Exec(t, up)
					db.Count(t, count)
				})
			}
		}
	}
}

// Goose splits at the semicolons that end a line, outside comments, and Atlas
// at all that end a statement: each has to be whole.
func TestStatementsOneByOne(t *testing.T) {
	for _, d := range dialects {
		for _, tool := range []string{"goose", "atlas"} {
			s := project(d, notify())
			s.Config.Migrations.Tool = tool
			w := emitTo(t, s)
			db := w.open(t, d, "job_runs")
			up, down := w.steps(t, s, w.out.Up[d][0])
			for _, text := range []string{down, up, down} {
				for _, statement := range statements(text) {
					db.Exec(t, statement)
				}
			}
		}
	}
}

// statements splits as goose does.
func statements(text string) []string {
	var list []string
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "--") {
			continue
		}
		b.WriteString(line)
		if strings.HasSuffix(strings.TrimSpace(line), ";") {
			list = append(list, b.String())
			b.Reset()
		}
	}
	return list
}
