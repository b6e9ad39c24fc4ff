package sqlgen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
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
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return written{dir, out}
}

// open makes a database with the migrations applied.
func (w written) open(t *testing.T, d spec.Dialect, table string) idemtest.DB {
	t.Helper()
	var up []string
	for _, path := range w.out.Up[d] {
		up = append(up, filepath.Join(w.dir, filepath.FromSlash(path)))
	}
	if d == spec.SQLite {
		return sqlitetest.Open(sqlitetest.Config{Table: table, Migrations: up, RealClock: true})(t)
	}
	return pgtest.Open(pgtest.Config{Table: table, Migrations: up, RealClock: true})(t)
}

func (w written) read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// steps returns what the layout's tool would run to go up and down.
func (w written) steps(t *testing.T, upPath string) (up, down string) {
	t.Helper()
	text := w.read(t, upPath)
	if stem, pair := strings.CutSuffix(upPath, ".up.sql"); pair {
		return text, w.read(t, stem+".down.sql")
	}
	up, down, ok := strings.Cut(text, "\n-- +goose Down\n")
	if !ok || !strings.HasPrefix(up, "-- +goose Up\n") {
		t.Fatalf("not a file for goose:\n%s", text)
	}
	return up, down
}

func TestLayoutsUpDownUp(t *testing.T) {
	tables := map[spec.Dialect][]string{spec.Postgres: {"job_runs", "app.job_runs"}, spec.SQLite: {"job_runs"}}
	for _, d := range dialects {
		for tool := range layouts {
			for _, table := range tables[d] {
				t.Run(string(d)+"/"+tool+"/"+table, func(t *testing.T) {
					s := project(d, notify())
					s.Config.Migrations.Tool, s.Config.Table = tool, table
					w := emitTo(t, s)
					db := w.open(t, d, table)
					up, down := w.steps(t, w.out.Up[d][0])
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

// Goose splits at the semicolons that end a line, outside comments: each
// statement has to be whole.
func TestGooseStatements(t *testing.T) {
	for _, d := range dialects {
		s := project(d, notify())
		s.Config.Migrations.Tool = "goose"
		w := emitTo(t, s)
		db := w.open(t, d, "job_runs")
		up, down := w.steps(t, w.out.Up[d][0])
		for _, text := range []string{down, up, down} {
			for _, statement := range statements(text) {
				db.Exec(t, statement)
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
