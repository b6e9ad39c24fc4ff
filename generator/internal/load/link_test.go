package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// TestDirectoryLinks has handlers behind links, in directories that are the
// project's, another project's and nobody's, and links that lead back.
func TestDirectoryLinks(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "shop")
	offline(t)
	handler := func(name string) string {
		return "package jobs\n\nimport \"context\"\n\n//idem:key " + strings.ToLower(name) + ":{id}\nfunc " + name + "(ctx context.Context, id string) error { return nil }\n"
	}
	write(t, base, map[string]string{
		"shop/go.mod":            goMod,
		"shop/jobs/a.go":         handler("A"),
		"shop/cmd/main.go":       "package main\n\nimport _ \"example.com/shop/shared\"\n\nfunc main() {}\n",
		"shop/_hidden/hidden.go": handler("Hidden"),
		"shared/b.go":            handler("B"),
		"shared/b_test.go":       handler("Test"),
		"shared/none.go":         "package jobs\n",
		"shared/deep/c.go":       handler("C"),
		"shared/nested/go.mod":   "module example.com/nested\n",
		"shared/nested/d.go":     handler("D"),
		"own/go.mod":             "module example.com/own\n",
		"own/jobs/e.go":          handler("E"),
		"big/" + strings.Repeat("x/", 20) + "f.go": handler("F"),
	})
	if err := os.Remove(filepath.Join(base, "go.mod")); err != nil {
		t.Fatal(err)
	}
	for i := range maxBehindLink {
		writeFile(t, filepath.Join(base, "big", "data", string(rune('a'+i%26))+strings.Repeat("0", i/26)), "")
	}
	for name, target := range map[string]string{
		"shared": "../shared", "hidden": "_hidden", "own": "../own", "ownjobs": "../own/jobs", "big": "../big",
		"again": "jobs", "jobs/loop": "..", "self": ".", "above": "../..", "dangling": "nowhere", "_skipped": "../shared", "vendor": "../shared",
	} {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Skip(err)
		}
	}
	config := defaultConfig()
	for i, name := range []string{"./shared.B", "./shared/deep.C", "./hidden.Hidden", "./dangling.X", "./again.A"} {
		config.Handlers = append(config.Handlers, spec.Declaration{
			Func: name, FuncPos: spec.Pos{File: configName, Line: i + 1, Col: 1},
			Directives: []spec.Directive{{Name: "key", Args: "a:{id}", YAML: true}},
		})
	}
	_, err := Load(t.Context(), Options{Root: root, Config: config})
	if err == nil {
		t.Fatal("no error")
	}
	const why = ", which is a link to a directory: the go command's ./... does not follow it; " + linkCure
	want := []string{
		"hidden/hidden.go:5:1: //idem:key stands behind hidden" + why,
		"idemgen.yaml:1:1: ./shared lies behind shared" + why,
		"idemgen.yaml:2:1: ./shared/deep lies behind shared" + why,
		"idemgen.yaml:3:1: ./hidden lies behind hidden" + why,
		"idemgen.yaml:4:1: there is no directory ./dangling; " + funcCure,
		"idemgen.yaml:5:1: ./again lies behind again, which is a link to a directory: the go command's ./... does not follow it; write ./jobs.A",
		"shared/b.go:5:1: //idem:key stands behind shared" + why,
		"shared/deep/c.go:5:1: //idem:key stands behind shared" + why,
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
