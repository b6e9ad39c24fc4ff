package gogen_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// golden returns a file of a case as it is wanted.
func golden(t *testing.T, name, file string) string {
	t.Helper()
	archive, err := txtar.ParseFile(cases + "/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == file {
			return string(f.Data)
		}
	}
	t.Fatalf("%s has no %s", name, file)
	return ""
}

// TestWrapperLines keeps what a reviewer reads short: a wrapper and its seam
// have at most 25 lines together.
func TestWrapperLines(t *testing.T) {
	text := golden(t, "quickstart", "jobs/notify_idem.go")
	lines := 0
	for _, name := range []string{"func NotifyOnce(", "func notifyOnceWith("} {
		_, body, ok := strings.Cut(text, name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		body, _, _ = strings.Cut(body, "\n}\n")
		lines += strings.Count(body, "\n") + 2
	}
	if lines > 25 {
		t.Errorf("wrapper and seam have %d lines, want at most 25", lines)
	}
}
