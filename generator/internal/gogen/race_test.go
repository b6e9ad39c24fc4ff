package gogen_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
)

// race runs all tests of the module, and then looks that every race test
// passed on every database.
func (m *module) race(t *testing.T) {
	pgtest.Open(pgtest.Config{})(t) // where there is no Postgres, all would be skipped
	results := m.pass(t, "", "", "-tags=special", "./...")
	for _, name := range slices.Sorted(maps.Keys(results.action)) {
		if results.action[name] == "skip" && path.Base(name) != "real" {
			t.Errorf("%s was skipped", name)
		}
	}
}

// pass runs tests. Of every race test below a directory, one part has to pass
// on every database; the empty one is the whole.
func (m *module) pass(t *testing.T, dir, part string, args ...string) results {
	t.Helper()
	cmd := m.command(append([]string{"test", "-json", "-count=1"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	results := readResults(t, out)
	if err != nil {
		t.Fatalf("%v\n%s", err, results.output)
	}
	for _, test := range m.raceTests(t) {
		name, _, _ := strings.Cut(test, "/")
		for _, d := range config.Dialects {
			if only := m.only[name]; only != "" && only != d {
				continue
			}
			if name := path.Join(test, string(d), part); strings.HasPrefix(name, dir) && results.action[name] != "pass" {
				t.Errorf("%s: %q", name, results.action[name])
			}
		}
	}
	return results
}

// results is what go test -json says.
type results struct {
	action map[string]string // by package and test: pass, fail or skip
	output []byte            // of the packages that failed
}

func readResults(t *testing.T, data []byte) results {
	t.Helper()
	r := results{action: map[string]string{}}
	output := map[string][]byte{}
	lines := json.NewDecoder(bytes.NewReader(data))
	for {
		var e struct{ Action, Package, ImportPath, Test, Output string }
		if err := lines.Decode(&e); err == io.EOF {
			return r
		} else if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		from := strings.TrimPrefix(e.Package+e.ImportPath, "example.com/")
		switch e.Action {
		case "output", "build-output":
			output[from] = append(output[from], e.Output...)
		case "fail", "build-fail":
			r.output = append(r.output, output[from]...)
			delete(output, from)
			fallthrough
		case "pass", "skip":
			if e.Test != "" {
				r.action[path.Join(from, e.Test)] = e.Action
			}
		}
	}
}

var testFunc = regexp.MustCompile(`(?m)^func (Test[\pL\pN_]+)\(`)

// raceTests returns the generated tests of the module, by package and name.
func (m *module) raceTests(t *testing.T) (tests []string) {
	t.Helper()
	err := filepath.WalkDir(m.dir, func(file string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, spec.RaceTestSuffix) {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(m.dir, filepath.Dir(file))
		for _, match := range testFunc.FindAllSubmatch(data, -1) {
			tests = append(tests, path.Join(filepath.ToSlash(dir), string(match[1])))
		}
		return err
	})
	if err != nil || len(tests) == 0 {
		t.Fatalf("found %d race tests: %v", len(tests), err)
	}
	return tests
}
