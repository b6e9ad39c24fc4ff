package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/tools/txtar"
)

// The mutants, a thousand together.
const (
	goMutants   = 600
	yamlMutants = 400
)

// TestMutants feeds generate a thousand broken sources and configurations, the
// same ones every time. It must not panic; every message has a place that is
// there; and what it accepts gets output that compiles.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module of its own")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	t.Run("go", func(t *testing.T) {
		dir := mutantModule(t, root)
		writeGoMutants(t, root, dir)
		survivors := cull(t, dir)
		t.Logf("%d of %d sources accepted", survivors, goMutants)
		wantSome(t, survivors, goMutants)
		compile(t, dir)
	})
	t.Run("yaml", func(t *testing.T) {
		dir := mutantModule(t, root)
		survivors := generateMutants(t, writeYAMLMutants(t, root, dir))
		t.Logf("%d of %d configurations accepted", survivors, yamlMutants)
		wantSome(t, survivors, yamlMutants)
		compile(t, dir)
	})
}

// mutantModule makes a module and goes there: messages name files as seen
// from where the user is.
func mutantModule(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	if err := writeModule(dir, root); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	return dir
}

// wantSome fails when the mutants teach nothing: all of them right, or none.
func wantSome(t *testing.T, survivors, all int) {
	t.Helper()
	if survivors < all/20 || survivors > all*19/20 {
		t.Errorf("%d of %d accepted", survivors, all)
	}
}

// goSeeds are cases of testdata/emit, each in one directory.
var goSeeds = []string{"key", "keywords", "long", "methods", "provider", "quickstart", "results"}

var keyDirective = regexp.MustCompile(`(//idem:(?:key|name) [a-z_.-]*)`)

// writeGoMutants writes a package for each mutant, with namespaces of its own.
func writeGoMutants(t *testing.T, root, dir string) {
	t.Helper()
	m := newMutator(1)
	for n := range goMutants {
		sources := goSources(t, root, goSeeds[n%len(goSeeds)])
		broken := m.IntN(len(sources))
		for i, f := range sources {
			text := keyDirective.ReplaceAllString(string(f.Data), fmt.Sprintf("${1}-%03d", n))
			if i == broken {
				text = m.mutate(text)
			}
			writeFile(t, filepath.Join(dir, mutantDir(n), filepath.Base(f.Name)), text)
		}
	}
}

func mutantDir(n int) string { return fmt.Sprintf("m%03d", n) }

// goSources returns the hand-written files of a case of testdata/emit.
func goSources(t *testing.T, root, name string) []txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join(root, "testdata", "emit", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var sources []txtar.File
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".go") && !strings.Contains(f.Name, "_idem") {
			sources = append(sources, f)
		}
	}
	return sources
}

// cull generates again and again without the packages that were refused, and
// returns how many are left.
func cull(t *testing.T, dir string) int {
	t.Helper()
	left := goMutants
	for {
		refused := refusals(t, dir, ".")
		if t.Failed() || len(refused) == 0 {
			return left
		}
		culled := 0
		for _, file := range refused {
			mutant, _, _ := strings.Cut(filepath.ToSlash(file), "/")
			if _, err := os.Stat(filepath.Join(dir, mutant)); err == nil && mutantName.MatchString(mutant) {
				culled++
				if err := os.RemoveAll(filepath.Join(dir, mutant)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if culled == 0 {
			t.Fatalf("refused, but no mutant: %v", refused)
		}
		left -= culled
	}
}

var mutantName = regexp.MustCompile(`^m\d{3}$`)

var message = regexp.MustCompile(`^(\S[^:]*):(\d+):(\d+): \S`)

// refusals generates, and returns the files that messages name. None if it
// was accepted.
func refusals(t *testing.T, dir, project string) (files []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run([]string{"generate", "-C", project}, strings.NewReader(""), &stdout, &stderr)
	if code == exitFine {
		return nil
	}
	if code != exitTrouble || stderr.Len() == 0 {
		t.Errorf("%s: exit code %d, stderr %q", project, code, &stderr)
	}
	for _, line := range strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n") {
		m := message.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("%s: a message without a place: %q", project, line)
			continue
		}
		wantPlace(t, line, filepath.Join(dir, m[1]), m[2], m[3])
		files = append(files, m[1])
	}
	return files
}

// wantPlace checks that the place of a message is in the file that it names.
func wantPlace(t *testing.T, message, file, line, col string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%s: %v", message, err)
		return
	}
	l, _ := strconv.Atoi(line)
	c, _ := strconv.Atoi(col)
	if !within(data, l, c) {
		t.Errorf("the place is not in the file, which is %d bytes and ends in %q: %s", len(data), data[max(0, len(data)-20):], message)
	}
}

// writeYAMLMutants writes a project for each mutant, all of the same package.
func writeYAMLMutants(t *testing.T, root, dir string) []string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join(root, "testdata", "mutants.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	m := newMutator(2)
	var projects []string
	for n := range yamlMutants {
		project := mutantDir(n)
		for _, f := range archive.Files {
			text := string(f.Data)
			if f.Name == "idemgen.yaml" {
				text = m.mutate(text)
			}
			writeFile(t, filepath.Join(dir, project, f.Name), text)
		}
		projects = append(projects, project)
	}
	return projects
}

// generateMutants generates projects side by side, removes those that were
// refused, and returns how many were not.
func generateMutants(t *testing.T, projects []string) int {
	t.Helper()
	var survivors atomic.Int32
	next := make(chan string)
	var workers sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for project := range next {
				if len(refusals(t, ".", project)) == 0 {
					survivors.Add(1)
				} else if err := os.RemoveAll(project); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, project := range projects {
		next <- project
	}
	close(next)
	workers.Wait()
	return int(survivors.Load())
}

// compile has the compiler's front end look at every package with output,
// tests included. A mutant without a handler is nobody's to judge.
func compile(t *testing.T, dir string) {
	t.Helper()
	args := []string{"vet", "-buildtag"}
	for _, pattern := range []string{"*/*_idem.go", "*/*/*_idem.go"} {
		outputs, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, output := range outputs {
			args = append(args, filepath.Dir(output))
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("accepted, and does not compile: %v\n%s", err, out)
	}
}
