package gogen_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/idemgen/idemgen/generator/internal/gogen"
	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/generator/internal/sqlgen"
)

var update = flag.Bool("update", false, "write the wanted output into the cases")

const (
	repo  = "../../.."
	cases = repo + "/testdata/emit"
)

// TestEmit checks every case of testdata/emit: what is written for its
// source, or why nothing is. Then all cases, sources and output together, are
// packages of one module: go vet has to find nothing in it, and the race
// tests pass on both databases.
func TestEmit(t *testing.T) {
	m := newModule(t)
	list := readCases(t)
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) { c.check(t, m) })
		m.only[c.name] = c.dialect()
	}
	// What follows is done by processes of their own, which no race detector sees.
	if t.Failed() || testing.Short() {
		return
	}
	m.goCmd(t, "vet", "./...")
	m.goCmd(t, "vet", "-tags=special", "./provider/...")
	for _, c := range list {
		c.fill(t, m)
	}
	t.Run("race", func(t *testing.T) { m.race(t) })
	m.uncommentExamples(t, "quickstart", "methods", "params", "provider", "long", "verbs", "delivery", "fixture", "types", "examples", "tx", "txsqlite")
	m.runExamples(t, "examples")
}

// emitCase is a txtar archive: the sources, the wanted output, and perhaps a
// file "errors". What lies under "filled" are fixtures as their developer
// leaves them, where idemgen has no values of its own. It lies in the module
// as a directory.
type emitCase struct {
	name, file string
	archive    *txtar.Archive
	spec       *spec.Spec
}

func readCases(t *testing.T) []*emitCase {
	t.Helper()
	files, err := filepath.Glob(cases + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var list []*emitCase
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &emitCase{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), file: file, archive: archive})
	}
	return list
}

const filled = "filled/"

func isOutput(name string) bool {
	return !strings.HasPrefix(name, filled) && (strings.HasSuffix(name, spec.WrapperSuffix) ||
		path.Base(name) == spec.SpecsFile ||
		strings.HasSuffix(name, spec.RaceTestSuffix) || strings.HasSuffix(name, spec.FixtureSuffix))
}

func isInput(name string) bool {
	return !strings.HasPrefix(name, filled) && strings.HasSuffix(name, ".go") && !isOutput(name)
}

func (c *emitCase) text(name string) string {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// fill puts the developer's fixtures in the place of ours.
func (c *emitCase) fill(t *testing.T, m *module) {
	t.Helper()
	for _, f := range c.archive.Files {
		if fixture, ok := strings.CutPrefix(f.Name, filled); ok {
			m.write(t, path.Join(c.name, fixture), f.Data)
		}
	}
}

func (c *emitCase) check(t *testing.T, m *module) {
	files, err := c.emit(t)
	if again, _ := c.emit(t); !reflect.DeepEqual(files, again) {
		t.Errorf("a second run gives other bytes:\n%s", cmp.Diff(files, again))
	}
	if want := c.text("errors"); want != "" || err != nil {
		if err == nil || err.Error()+"\n" != want {
			t.Fatalf("got error %v\nwant %s", err, want)
		}
		return
	}
	for _, f := range c.archive.Files {
		if isInput(f.Name) {
			m.write(t, path.Join(c.name, f.Name), f.Data)
		}
	}
	for _, f := range files {
		m.write(t, path.Join(c.name, f.Path), f.Data)
		if again, err := format.Source(f.Data); err != nil || !bytes.Equal(again, f.Data) {
			t.Errorf("%s is not formatted: %v", f.Path, err)
		}
		if f.Once != strings.HasSuffix(f.Path, spec.FixtureSuffix) {
			t.Errorf("%s: Once is %v", f.Path, f.Once)
		}
	}
	m.migrations(t, c.name)
	c.indexes(t, m)
	if *update {
		c.accept(t, files)
	}
	c.compare(t, files)
}

// emit returns the output, or the errors of the model.
func (c *emitCase) emit(t *testing.T) ([]gogen.File, error) {
	t.Helper()
	in := newWorld(t).module("example.com/" + c.name)
	for _, f := range c.archive.Files {
		if isInput(f.Name) {
			if err := in.add(f.Name, f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	cfg := config
	if d := c.dialect(); d != "" {
		cfg.Dialects = []spec.Dialect{d}
	}
	s, err := in.spec(cfg)
	if err != nil {
		return nil, err
	}
	c.spec = s
	return gogen.Emit(s, migrations(s), upsertSQL)
}

// dialect is the one that a case is for, where it is not for both.
func (c *emitCase) dialect() spec.Dialect { return spec.Dialect(strings.TrimSpace(c.text("dialect"))) }

func (c *emitCase) compare(t *testing.T, files []gogen.File) {
	t.Helper()
	got, want := map[string]string{}, map[string]string{}
	for _, f := range files {
		got[f.Path] = string(f.Data)
	}
	for _, f := range c.archive.Files {
		if isOutput(f.Name) {
			want[f.Name] = string(f.Data)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func (c *emitCase) accept(t *testing.T, files []gogen.File) {
	t.Helper()
	c.archive.Files = slices.DeleteFunc(c.archive.Files, func(f txtar.File) bool { return isOutput(f.Name) })
	for _, f := range files {
		c.archive.Files = append(c.archive.Files, txtar.File{Name: f.Path, Data: f.Data})
	}
	if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

var config = spec.Config{
	Dialects:   []spec.Dialect{spec.Postgres, spec.SQLite},
	Table:      "job_runs",
	Migrations: spec.Migrations{Dir: "migrations", Tool: "plain"},
	Defaults:   spec.Defaults{Lease: 5 * time.Minute, Retain: 30 * 24 * time.Hour, Attempts: 20},
}

// indexes writes the migrations that the race tests of upserts run.
func (c *emitCase) indexes(t *testing.T, m *module) {
	t.Helper()
	out, err := sqlgen.Emit(c.spec, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for u, byDialect := range out.Index {
		for d, paths := range byDialect {
			i := slices.IndexFunc(out.Files, func(f sqlgen.File) bool { return f.Path == paths[0] })
			m.write(t, path.Join(c.name, upsertSQL(d, u).Migrations[0]), out.Files[i].Data)
		}
	}
}

func upsertSQL(d spec.Dialect, u *spec.Upsert) gogen.UpsertSQL {
	file := "migrations/" + string(d) + "/0002_idemgen_" + sqlgen.Index(d, u) + ".up.sql"
	return gogen.UpsertSQL{Statements: sqlgen.Upsert(d, u), Index: sqlgen.Index(d, u), Migrations: []string{file}}
}

// migrations are those of the tables that a project needs.
func migrations(s *spec.Spec) func(spec.Dialect) []string {
	ordered := slices.ContainsFunc(s.Files, func(f *spec.File) bool {
		return slices.ContainsFunc(f.Handlers, func(h *spec.Handler) bool { return h.Order != nil })
	})
	return func(d spec.Dialect) []string {
		files := []string{tableFile(d, 1, "job_runs")}
		if ordered {
			files = append(files, tableFile(d, 2, "order"))
		}
		return files
	}
}

func tableFile(d spec.Dialect, number int, name string) string {
	return fmt.Sprintf("migrations/%s/%04d_idemgen_%s.up.sql", d, number, name)
}
