package gogen_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/templates"
)

// module is a module in a temporary directory.
type module struct {
	dir  string
	only map[string]spec.Dialect // what the cases are for that are not for all
}

// newModule makes a module that requires ours, from the working copy, and
// whatever ours requires.
func newModule(t *testing.T) *module {
	t.Helper()
	m := &module{dir: t.TempDir(), only: map[string]spec.Dialect{}}
	root, err := filepath.Abs(repo)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(repo + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(repo + "/go.sum")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(own), "module github.com/idemgen/idemgen", "module example.com", 1)
	text += "\nrequire github.com/idemgen/idemgen v0.0.0\n\nreplace github.com/idemgen/idemgen => " + root + "\n"
	m.write(t, "go.mod", []byte(text))
	m.write(t, "go.sum", sums)
	return m
}

func (m *module) write(t *testing.T, name string, data []byte) {
	t.Helper()
	file := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// migrations writes what the race tests of a case make their tables with.
func (m *module) migrations(t *testing.T, name string) {
	t.Helper()
	for _, d := range config.Dialects {
		runs, _, err := templates.JobRuns(string(d), config.Table)
		order, _, orderErr := templates.Order(string(d), config.Table)
		if err != nil || orderErr != nil {
			t.Fatal(err, orderErr)
		}
		m.write(t, path.Join(name, tableFile(d, 1, "job_runs")), []byte(runs))
		m.write(t, path.Join(name, tableFile(d, 2, "order")), []byte(order))
	}
}

func (m *module) command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"), "GOPROXY=off", "GOWORK=off")
	return cmd
}

func (m *module) goCmd(t *testing.T, args ...string) {
	t.Helper()
	if out, err := m.command(args...).CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
