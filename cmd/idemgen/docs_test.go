package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocs runs the commands that the documentation shows, in the order of
// the text, as a newcomer would in an empty module: a block of sh is executed,
// a block whose opening line names a file is written to it, and one that shows
// generated code is compared with it. Other blocks are there to be read. The
// module under test is the version that a proxy has.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module of its own")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	shop := t.TempDir()
	proxy := publish(t, root)
	writeFile(t, filepath.Join(shop, "go.mod"), "module example.com/shop\n\ngo 1.26\n")
	for _, doc := range []string{"README.md", "docs/guide.md"} {
		for _, b := range blocks(t, filepath.Join(root, doc)) {
			t.Run(fmt.Sprintf("%s:%d", doc, b.line), func(t *testing.T) {
				switch {
				case strings.HasSuffix(b.file, "_idem.go"):
					wantGenerated(t, filepath.Join(shop, b.file), b.text)
				case b.file == "" && b.lang == "sh":
					runCommands(t, root, shop, proxy, b.text)
				case b.file != "":
					writeFile(t, filepath.Join(shop, b.file), b.text)
				}
			})
		}
	}
}

// runCommands runs a block of sh in the newcomer's module. The make targets
// are for a clone; CI runs them.
func runCommands(t *testing.T, root, dir, proxy, script string) {
	t.Helper()
	if strings.HasPrefix(script, "make ") {
		for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
			wantTarget(t, root, strings.Fields(line)[1])
		}
		return
	}
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	// The checksum database, which not every machine reaches, need not vouch
	// for the versions that our own go.sum holds to their sums. Of the other
	// modules go mod tidy wants to see the tests, too, which nobody has
	// downloaded.
	others := "off"
	if strings.Contains(script, "go mod tidy") {
		others = goSetting(t, "GOPROXY")
	}
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOSUMDB=off", "GOPROXY="+proxy+","+others)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%s%v", script, out, err)
	}
}

func goSetting(t *testing.T, name string) string {
	t.Helper()
	values, err := goEnv(name)
	if err != nil {
		t.Fatal(err)
	}
	return values[0]
}

// wantGenerated compares generated code that is shown with what was generated.
func wantGenerated(t *testing.T, path, shown string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), shown) {
		t.Errorf("shown:\n%s\ngenerated:\n%s", shown, data)
	}
}

func wantTarget(t *testing.T, root, target string) {
	t.Helper()
	for _, file := range []string{"Makefile", ".ci/run"} {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if target != "help" && !regexp.MustCompile(`(?m)^(make )?`+target+`\b`).Match(data) {
			t.Errorf("%s has no %q", file, target)
		}
	}
}

type block struct {
	lang, file string
	line       int
	text       string
}

var opening = regexp.MustCompile("^```(\\S*) ?(\\S*)$")

func blocks(t *testing.T, path string) []block {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var found []block
	var open *block
	for i, line := range strings.Split(string(data), "\n") {
		m := opening.FindStringSubmatch(line)
		switch {
		case open == nil && m != nil:
			open = &block{lang: m[1], file: m[2], line: i + 1}
		case open != nil && line == "```":
			found = append(found, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if len(found) == 0 || open != nil {
		t.Fatalf("%s: %d blocks, last one closed: %v", path, len(found), open == nil)
	}
	return found
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
