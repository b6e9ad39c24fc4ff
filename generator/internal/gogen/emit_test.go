package gogen_test

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/idemgen/idemgen/generator/internal/gogen"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

var update = flag.Bool("update", false, "write the wanted output into the cases")

const (
	repo  = "../../.."
	cases = repo + "/testdata/emit"
)

// TestEmit checks every case of testdata/emit: what is written for its
// source, or why nothing is. Then all cases, sources and output together, are
// packages of one module, which go vet has to find nothing in.
func TestEmit(t *testing.T) {
	m := newModule(t)
	list := readCases(t, m)
	m.load(t)
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) { c.check(t, m) })
	}
	m.goCmd(t, "vet", "./...")
	m.goCmd(t, "vet", "-tags=special", "./...")
	m.goCmd(t, "test", "-run", "^TestGenerated", "./run/...")
	m.uncommentExamples(t, "quickstart", "methods", "params", "provider", "long")
}

// emitCase is a txtar archive: the sources, the wanted output, and perhaps a
// file "dialects" and a file "errors". It lies in the module as a directory.
type emitCase struct {
	name, file string
	archive    *txtar.Archive
}

func readCases(t *testing.T, m *module) []*emitCase {
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
		c := &emitCase{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), file: file, archive: archive}
		for _, f := range archive.Files {
			if c.isInput(f.Name) {
				m.write(t, path.Join(c.name, f.Name), f.Data)
			}
		}
		list = append(list, c)
	}
	return list
}

func isOutput(name string) bool {
	return strings.HasSuffix(name, "_idem.go") || strings.HasSuffix(name, "_idem_test.go") || strings.HasSuffix(name, "_idem_fixture_test.go")
}

func (c *emitCase) isInput(name string) bool {
	return strings.HasSuffix(name, ".go") && !isOutput(name)
}

func (c *emitCase) text(name string) string {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func (c *emitCase) check(t *testing.T, m *module) {
	s := m.spec(t, c.name, c.config())
	emit := func() ([]gogen.File, error) {
		return gogen.Emit(s, func(d spec.Dialect) []string { return c.migrations(s, d) })
	}
	files, err := emit()
	if again, _ := emit(); !cmp.Equal(files, again) {
		t.Errorf("a second run gives other bytes:\n%s", cmp.Diff(files, again))
	}
	if want := c.text("errors"); want != "" || err != nil {
		if err == nil || err.Error()+"\n" != want {
			t.Fatalf("got error %v\nwant %s", err, want)
		}
		return
	}
	for _, f := range files {
		m.write(t, path.Join(c.name, f.Path), f.Data)
		if again, err := format.Source(f.Data); err != nil || !bytes.Equal(again, f.Data) {
			t.Errorf("%s is not formatted: %v", f.Path, err)
		}
		if f.Once != strings.HasSuffix(f.Path, "_idem_fixture_test.go") {
			t.Errorf("%s: Once is %v", f.Path, f.Once)
		}
	}
	if *update {
		c.accept(t, files)
	}
	c.compare(t, files)
}

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

func (c *emitCase) config() spec.Config {
	cfg := spec.Config{
		Dialects:   []spec.Dialect{spec.Postgres},
		Table:      "job_runs",
		Migrations: spec.Migrations{Dir: "migrations", Tool: "plain"},
		Defaults:   spec.Defaults{Lease: 5 * time.Minute, Retain: 30 * 24 * time.Hour, Attempts: 20},
	}
	if list := strings.Fields(c.text("dialects")); len(list) > 0 {
		cfg.Dialects = nil
		for _, d := range list {
			cfg.Dialects = append(cfg.Dialects, spec.Dialect(d))
		}
	}
	return cfg
}

func (c *emitCase) migrations(s *spec.Spec, d spec.Dialect) []string {
	dir := "migrations"
	if len(s.Config.Dialects) > 1 {
		dir = path.Join(dir, string(d))
	}
	return []string{dir + "/0001_idemgen_job_runs.up.sql"}
}
