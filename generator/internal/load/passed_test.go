package load

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPassed has directories of all kinds, and asks the go command which of
// them its ./... passes over: the project has the packages in the others.
func TestPassed(t *testing.T) {
	offline(t)
	t.Setenv("GOFLAGS", "")
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "go.mod"), `module example.com/shop

go 1.26.0

ignore ./out // of a build
ignore (
	deep/down
	"./svc/quoted"
	raw
	web/
	// ./kept
	./svc/a.b
)
ignore ./whole
`)
	for _, dir := range []string{
		"a", "a/testdata/b", "a/_b", "a/.b/c", "vendor", "vendor/v", "a/vendor", "a/vendor/v", "a/vendored/v", "node_modules/m", "a/node_modules",
		"out", "out/a", "outer", "a/out", "deep", "deep/down", "deep/down/a", "a/deep/down", "deep/a/down", "a/deep/downer",
		"svc/quoted", "svc/quoted/a", "svc/raw", "svc/a/web/b", "svc/kept", "kept", "svc/a.b", "svc/axb", "svc/vendor/v", "svc/out", "svc/deep/down",
		"whole", "whole/a", "whole/raw",
	} {
		writeFile(t, filepath.Join(base, dir, "p.go"), "package p\n")
	}
	for _, root := range []string{".", "svc", "a"} {
		dir := filepath.Join(base, root)
		cmd := exec.Command("go", "list", "-f", "{{.Dir}}", "./...")
		cmd.Dir = dir
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
		want := strings.Fields(string(out))
		files, err := (&found{passed: passedBelow(dir)}).goFiles(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range files {
			got = append(got, filepath.Join(dir, filepath.Dir(name)))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("from %s (go list -, idemgen +):\n%s", root, diff)
		}
	}
	whole := filepath.Join(base, "whole")
	files, err := (&found{passed: passedBelow(whole)}).goFiles(whole)
	if diff := cmp.Diff([]string{"a/p.go", "p.go", "raw/p.go"}, files); err != nil || diff != "" {
		t.Errorf("a project in an ignored directory (want -, got +):\n%s%v", diff, err)
	}
}
