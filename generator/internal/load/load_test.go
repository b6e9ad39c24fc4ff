package load

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// goMod is the module of a case that has no go.mod of its own.
const goMod = `module example.com/shop

go 1.26.0

require github.com/idemgen/idemgen v0.0.0

replace github.com/idemgen/idemgen => REPO
`

// repoRoot is this repository's.
func repoRoot() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// offline keeps the go command from downloading anything.
func offline(t *testing.T) {
	t.Helper()
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOWORK", "")
}

// write lays out the files of an archive in a directory of the test. A line
// that ends in ␍ ends in CR LF.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	if _, ok := files["go.mod"]; !ok {
		files["go.mod"] = goMod
	}
	sum, err := os.ReadFile(filepath.Join(repoRoot(), "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	files["go.sum"] = string(sum)
	for name, text := range files {
		text = strings.ReplaceAll(text, "REPO", filepath.ToSlash(repoRoot()))
		text = strings.ReplaceAll(text, "␍\n", "\r\n")
		writeFile(t, filepath.Join(root, filepath.FromSlash(name)), text)
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestLoad runs the cases of testdata/load. A case is a project; "want" is
// what Load makes of it, the handlers or the errors; files below "out" are
// given to Check as the generated ones, and "want.check" is what it says.
// Lines "env NAME=VALUE" and "root DIR" stand before the first file.
func TestLoad(t *testing.T) {
	cases, err := filepath.Glob("testdata/load/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c := newCase(t, archive)
			got := c.run(t)
			if os.Getenv("UPDATE") != "" {
				c.update(t, name, archive, got)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

type loadCase struct {
	root string
	want map[string]string // "want" and "want.check"
	out  map[string][]byte
}

func newCase(t *testing.T, archive *txtar.Archive) *loadCase {
	t.Helper()
	offline(t)
	c := &loadCase{root: t.TempDir(), want: map[string]string{}, out: map[string][]byte{}}
	project := map[string]string{}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want") {
			c.want[f.Name] = string(f.Data)
		} else if out, ok := strings.CutPrefix(f.Name, "out/"); ok {
			c.out[out] = f.Data
		} else {
			project[f.Name] = string(f.Data)
		}
	}
	write(t, c.root, project)
	for line := range strings.Lines(string(archive.Comment)) {
		verb, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "env":
			name, value, _ := strings.Cut(arg, "=")
			t.Setenv(name, value)
		case "root":
			c.root = filepath.Join(c.root, arg)
		}
	}
	return c
}

func (c *loadCase) run(t *testing.T) map[string]string {
	t.Helper()
	config, wrong, err := ReadBrokenConfig(c.root)
	if err != nil {
		return map[string]string{"want": c.errorText(t, err)}
	}
	program, err := Load(t.Context(), Options{Root: c.root, Config: config, Wrong: wrong})
	if err != nil {
		return map[string]string{"want": c.errorText(t, err)}
	}
	got := map[string]string{"want": summary(program.Spec)}
	if len(c.out) > 0 {
		got["want.check"] = "fine\n"
		if err := program.Check(c.out); err != nil {
			got["want.check"] = c.errorText(t, err)
		}
	}
	return got
}

// errorText is an error without the paths of this machine.
func (c *loadCase) errorText(t *testing.T, err error) string {
	t.Helper()
	if _, ok := errors.AsType[spec.Errors](err); !ok {
		t.Errorf("not spec.Errors: %T", err)
	}
	return strings.ReplaceAll(err.Error(), c.root, "ROOT") + "\n"
}

// update writes what was got into the case.
func (c *loadCase) update(t *testing.T, name string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want") })
	for _, key := range slices.Sorted(maps.Keys(got)) {
		archive.Files = append(archive.Files, txtar.File{Name: key, Data: []byte(got[key])})
	}
	if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

// summary tells a spec in lines.
func summary(s *spec.Spec) string {
	var b bytes.Buffer
	for _, f := range s.Files {
		fmt.Fprintf(&b, "%s package %s %q in %s", f.Path, f.Package.Name, f.Package.Path, f.Package.Dir)
		if f.Constraint != "" {
			fmt.Fprintf(&b, " if %s", f.Constraint)
		}
		fmt.Fprintln(&b)
		for _, h := range f.Handlers {
			fmt.Fprintf(&b, "\t%s %s key %s lease %v", h.Pos, h.Func, h.Key.Text, h.Lease)
			if h.Declared.File == configName {
				fmt.Fprintf(&b, " declared at %s", h.Declared)
			}
			fmt.Fprintln(&b)
			for _, p := range h.Params {
				fmt.Fprintf(&b, "\t\t%s %s\n", p.Name, p.Type)
			}
		}
		for _, u := range f.Upserts {
			fmt.Fprintf(&b, "\t%s %s upsert %s by %s version %q nulls %q", u.Pos, u.Type, u.Table, strings.Join(u.By, ", "), u.Version, u.Nulls)
			if u.Declared.File == configName {
				fmt.Fprintf(&b, " declared at %s", u.Declared)
			}
			fmt.Fprintln(&b)
			for _, c := range u.Columns {
				fmt.Fprintf(&b, "\t\t%s %s %s %s%s\n", c.Name, c.Path, c.Type, c.SQLType, map[bool]string{true: " or NULL"}[c.Nullable])
			}
		}
	}
	if len(s.Files) == 0 {
		return "nothing\n"
	}
	return b.String()
}
