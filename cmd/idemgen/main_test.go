package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator"
)

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{}, strings.NewReader(""), &stdout, &stderr); code != exitFine || stderr.Len() > 0 {
		t.Fatalf("exit code %d, stderr %q", code, &stderr)
	}
	for _, command := range []string{"check", "completion", "explain", "generate", "init", "schema", "version"} {
		if !strings.Contains(stdout.String(), "\n  "+command+" ") {
			t.Errorf("the help does not name %s:\n%s", command, &stdout)
		}
	}
}

// Every error of a joined one is told, those with a place from where the user
// is.
func TestProblems(t *testing.T) {
	t.Chdir(t.TempDir())
	placed := generator.Errors{
		{Pos: generator.Pos{File: "jobs/a.go", Line: 3, Col: 1}, Msg: "bad", Cure: "mend it"},
		{Pos: generator.Pos{File: "jobs/b.go", Line: 4, Col: 2}, Msg: "worse"},
	}
	root, err := filepath.Abs("project")
	if err != nil {
		t.Fatal(err)
	}
	p := project{root: root}
	var got []string
	for _, problem := range problems(p.wrap(errors.Join(placed, errors.New("disk full")))) {
		got = append(got, problem.String())
	}
	want := []string{
		filepath.FromSlash("project/jobs/a.go") + ":3:1: bad; mend it",
		filepath.FromSlash("project/jobs/b.go") + ":4:2: worse",
		"idemgen: disk full",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestVersionOf(t *testing.T) {
	checkout := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	tests := []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"installed", debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: checkout}, "v1.2.3"},
		{"checkout", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: checkout}, "(devel) abc (modified)"},
		{"clean checkout", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: checkout[:1]}, "(devel) abc"},
		{"nothing known", debug.BuildInfo{}, "(devel)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := versionOf(&tt.info); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
