package load

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// writeCure is a cure that says what to write for the whole, with a condition
// perhaps.
var writeCure = regexp.MustCompile(`^(?:write|quote the whole:) (?:(\S+)(?:, if .*)?|(".*"))$`)

// What a cure says to write in place of a function's name is one.
func TestFuncNameCures(t *testing.T) {
	for _, dir := range []string{"", ".", "./", "..", "./../", "../", "./jobs", "jobs/", "./jobs/", `.\jobs`, `jobs\`, "example.com/shop/jobs", "()", "./jobs.()"} {
		for _, sep := range []string{"", ".", "..", "/", "()."} {
			for _, name := range []string{"", "A", "a", "A()", "()", "(*S).A", "S.A()", "(S.A)", "*S.A", "A.go", "A(ctx)", "A[int]", "é"} {
				text := dir + sep + name
				_, wrong := parseFuncName(text)
				if wrong == nil {
					continue
				}
				m := writeCure.FindStringSubmatch(wrong.Cure)
				if strings.HasSuffix(wrong.Cure, " ") || strings.Contains(wrong.Cure, "  ") {
					t.Errorf("%q: %v", text, wrong)
				}
				if m == nil {
					continue
				}
				if _, again := parseFuncName(m[1]); again != nil || m[1] == text {
					t.Errorf("%q: the cure has an error: %v: %v", text, wrong, again)
				}
			}
		}
	}
}

// Who does what the errors in idemgen.yaml say has a handler in the end, with all
// that was said of it.
func TestConfigCures(t *testing.T) {
	root := project(t, oneHandler+`
-- jobs/cured.go --
package jobs

import "context"

type Cured struct{ ID string; Attempt, Retry int }

func Cure(ctx context.Context, e Cured) error { return nil }
-- root.go --
package shop

import "context"

type Cured struct{ ID string; Attempt, Retry int }

func Cure(ctx context.Context, e Cured) error { return nil }
`)
	for _, entry := range []string{
		"func: ./Cure()\n    key: c:{e.ID}",
		"func: ./Cure\n    key: c:{e.ID}",
		"func: ./jobs/Cure()\n    key: c:{e.ID}",
		"func: ./jobs.Cure(ctx, e)\n    key: c:{e.ID}",
		"func: Cure(ctx, e)\n    key: c:{e.ID}",
		"func: '.\\jobs.Cure()'\n    key: c:{e.ID}",
		"func: Cure\n    key: c:{e.ID}:{e.Attempt}:{e.Retry}\n    allow: [e.Attempt the sender says so, at all times, e.Retry is ours]",
		"func: Cure\n    key: c:{e.ID}:{e.Retry}:{e.Attempt}\n    allow: [e.Retry is ours, e.Attempt the sender says so, at all times]",
		"func: Cure\n    key: c:{e.ID}:{e.Attempt}\n    allow: [e.Attempt the sender says so, always]",
	} {
		text := "version: 1\nhandlers:\n  - " + entry + "\n"
		wrong := follow(t, root, text)
		if wrong != nil {
			t.Errorf("%s: %v", entry, wrong)
		}
	}
}

// follow writes an idemgen.yaml, and does what the first error says until there
// is none, or nothing to do.
func follow(t *testing.T, root, text string) error {
	t.Helper()
	for {
		writeFile(t, filepath.Join(root, configName), text)
		config, err := ReadConfig(root)
		if err == nil {
			_, err = Load(t.Context(), Options{Root: root, Config: config})
		}
		wrong, ok := errors.AsType[spec.Errors](err)
		if !ok {
			return err
		}
		e := wrong[0]
		m := writeCure.FindStringSubmatch(e.Cure)
		lines := strings.Split(text, "\n")
		line := lines[e.Pos.Line-1]
		if m == nil {
			return err
		}
		was := strings.Trim(m[2], `"`)
		if m[1] != "" {
			was = strings.Trim(line[e.Pos.Col-1:], "'")
		}
		cured := strings.Replace(text, was, m[1]+m[2], 1)
		if cured == text {
			return fmt.Errorf("nothing to do: %w", err)
		}
		text = cured
	}
}
