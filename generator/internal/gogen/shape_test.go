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
// have less than 25 lines together, and a handler that has everything, with
// its fingerprint, has little more.
func TestWrapperLines(t *testing.T) {
	for _, c := range []struct {
		name, file string
		funcs      []string
		most       int
	}{
		{"quickstart", "jobs/notify_idem.go", []string{"func NotifyOnce(", "func notifyOnceWith("}, 24},
		{"fingerprint", "jobs/charge_idem.go", []string{"func ChargeOnce(", "func chargeOnceWith("}, 24},
		{"fingerprint", "jobs/charge_idem.go", []string{"CaptureOnce(", "func bankCaptureOnceWith(", "func bankCaptureFingerprint("}, 40},
	} {
		text, lines := golden(t, c.name, c.file), 0
		for _, name := range c.funcs {
			_, body, ok := strings.Cut(text, name)
			if !ok {
				t.Fatalf("no %s", name)
			}
			body, _, _ = strings.Cut(body, "\n}\n")
			lines += strings.Count(body, "\n") + 2
		}
		if lines > c.most {
			t.Errorf("%v have %d lines, want at most %d", c.funcs, lines, c.most)
		}
	}
}
