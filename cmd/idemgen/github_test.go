package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What GitHub takes for the end of a property, of the properties or of the
// line does not end them.
func TestWorkflowCommand(t *testing.T) {
	t.Setenv("GITHUB_WORKSPACE", "")
	for _, tt := range []struct {
		problem
		want string
	}{
		{problem{File: "a:b,c%,\r\nd.go", Line: 3, Col: 4, Message: "x::y, 5%\r\nz", Cure: "mend it"},
			"::error file=a%3Ab%2Cc%25%2C%0D%0Ad.go,line=3,col=4,title=idemgen%3A invalid::x::y, 5%25%0D%0Az; mend it\n"},
		{problem{Message: "disk full"}, "::error title=idemgen%3A invalid::disk full\n"},
	} {
		var b strings.Builder
		workflowCommand(&b, "error", invalidRule, tt.problem)
		if b.String() != tt.want {
			t.Errorf("got %q, want %q", &b, tt.want)
		}
	}
}

func TestInWorkspace(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ workspace, name, want string }{
		{"", "a/b.go", "a/b.go"},
		{"", "../b.go", "../b.go"},
		{here, "a/b.go", "a/b.go"},
		{here, filepath.Join(here, "b.go"), "b.go"},
		{here, "../b.go", "../b.go"},
		{here, here + "2/b.go", here + "2/b.go"},
		{filepath.Dir(here), "a/b.go", filepath.Base(here) + "/a/b.go"},
		{filepath.Dir(here), "../b.go", "b.go"},
		{filepath.Join(here, "a"), "a/b.go", "b.go"},
		{filepath.Join(here, "a"), "c/b.go", "c/b.go"},
		{"not/absolute", "a/b.go", "a/b.go"},
	} {
		t.Setenv("GITHUB_WORKSPACE", tt.workspace)
		if got := filepath.ToSlash(inWorkspace(tt.name)); got != filepath.ToSlash(tt.want) {
			t.Errorf("%s in %q is %s, want %s", tt.name, tt.workspace, got, tt.want)
		}
	}
}
