package load

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// asked makes the go command write down what it is asked, and returns what
// reads it, and forgets it: the arguments of each call.
func asked(t *testing.T) func() [][]string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf '%s\\n' \"$*\" >>" + dir + "/log\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return func() (calls [][]string) {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		for line := range strings.Lines(string(log)) {
			calls = append(calls, strings.Fields(line))
		}
		_ = os.Remove(filepath.Join(dir, "log"))
		return calls
	}
}

// requiring is this module's go.mod, as one that requires it has to have it.
func requiring(t *testing.T) string {
	t.Helper()
	own, err := os.ReadFile(filepath.Join(repoRoot(), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(own), "module github.com/idemgen/idemgen", "module example.com/shop", 1) +
		"\nrequire github.com/idemgen/idemgen v0.0.0\n\nreplace github.com/idemgen/idemgen => REPO\n"
}

// TestCommands has the go command list once and tell export data once, of
// nothing that somebody works on here: it has nothing to compile, however much
// was edited. What the race tests import is asked for with the rest, if they
// are to be checked.
func TestCommands(t *testing.T) {
	root := project(t, "-- go.mod --\n"+requiring(t)+`
-- jobs/a.go --
package jobs

import (
	"context"
	"strings"

	"example.com/shop/event"
)

//idem:key a:{e.ID}
func A(ctx context.Context, e event.Event) error { _ = strings.ToUpper(e.Name); return nil }
-- jobs/a_idem_fixture_test.go --
package jobs
-- event/event.go --
package event

import (
	"net/url"
	"time"
)

type Event struct {
	ID, Name string
	At       time.Time
}

func Body() { url.Parse("") }
`)
	out := map[string][]byte{
		"jobs/a_idem.go":              []byte("package jobs\n\nimport \"context\"\n\nvar _ context.Context\n"),
		"jobs/a_idem_test.go":         []byte("package jobs\n\nimport \"testing\"\n\nvar _ testing.T\n"),
		"jobs/a_idem_fixture_test.go": []byte("package jobs\n"),
	}
	calls := asked(t)
	check := func(flags string, tests bool) {
		t.Setenv("GOFLAGS", flags)
		if err := load(t, root).Check(out); err != nil {
			t.Fatal(err)
		}
		got := calls()
		if len(got) != 2 {
			t.Fatalf("GOFLAGS=%s: %d calls: %q", flags, len(got), got)
		}
		checkCalls(t, got[0], got[1], tests)
	}
	check("", false)
	check("-mod=mod", false)
	if err := os.Remove(filepath.Join(root, "jobs", "a_idem_fixture_test.go")); err != nil {
		t.Fatal(err)
	}
	check("", true)
}

// TestCommandsElsewhere asks once for all packages that idemgen.yaml names and
// that are not the project's.
func TestCommandsElsewhere(t *testing.T) {
	root := project(t, "-- a.go --\npackage shop\n")
	config := defaultConfig()
	for _, name := range []string{"example.com/old/a.A", "example.com/old/b.B", "net/http.Get", "strings.ToUpper"} {
		config.Handlers = append(config.Handlers, spec.Declaration{Func: name, FuncPos: spec.Pos{File: configName, Line: 1, Col: 1}})
	}
	calls := asked(t)
	if _, err := Load(t.Context(), Options{Root: root, Config: config}); err == nil {
		t.Fatal("no error")
	}
	listed := slices.DeleteFunc(calls(), func(args []string) bool { return slices.Contains(args, "-deps") || slices.Contains(args, "-export") })
	want := [][]string{strings.Fields("list -e -mod=readonly -- example.com/old/a example.com/old/b net/http strings")}
	for i := range listed {
		listed[i] = withoutFields(listed[i])
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// checkCalls checks the arguments of the two calls.
func checkCalls(t *testing.T, list, export []string, tests bool) {
	t.Helper()
	want := strings.Fields("list -e -deps -- ./jobs context fmt github.com/idemgen/idemgen/runtime github.com/idemgen/idemgen/runtime/idemtest github.com/idemgen/idemgen/runtime/idemtest/pgtest testing time")
	if diff := cmp.Diff(want, withoutFields(list)); diff != "" {
		t.Errorf("first call (want -, got +):\n%s", diff)
	}
	for arg, want := range map[string]bool{
		"-export": true, "strings": true, "time": true, "testing": tests,
		"net/url": false, "example.com/shop/event": false, "example.com/shop/jobs": false, "github.com/idemgen/idemgen/runtime": false,
	} {
		if slices.Contains(export, arg) != want {
			t.Errorf("second call: %q, with %s: %t", export, arg, !want)
		}
	}
}

// withoutFields leaves out the fields that are asked for, and the copy of
// go.mod that there is with -mod=mod.
func withoutFields(args []string) []string {
	return slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-json=") || strings.HasPrefix(arg, "-modfile=") })
}
