package load

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnreadAbove has an idemgen.yaml above the directory of go.mod: nobody's,
// another module's, another repository's, and one that does not matter.
func TestUnreadAbove(t *testing.T) {
	const told = "idemgen.yaml:1:1: this file lies above the directory of go.mod, and is not read there; if it was meant for this module, move it beside go.mod"
	for name, test := range map[string]struct {
		files []string // beside shop/svc/go.mod
		want  string
	}{
		"beside":           {[]string{"shop/svc/idemgen.yaml"}, ""},
		"above":            {[]string{"shop/idemgen.yaml"}, "../" + told},
		"far above":        {[]string{"idemgen.yaml", "shop/go.work"}, ""},
		"far, repository":  {[]string{"idemgen.yaml", ".git/HEAD"}, "../../" + told},
		"above, as well":   {[]string{"shop/idemgen.yaml", "shop/svc/idemgen.yaml"}, ""},
		"of a module":      {[]string{"shop/idemgen.yaml", "shop/go.mod"}, ""},
		"below a module":   {[]string{"shop/idemgen.yaml", "go.mod"}, ""},
		"of a repository":  {[]string{"idemgen.yaml", "shop/.git/HEAD"}, ""},
		"in a repository":  {[]string{"shop/idemgen.yaml", "shop/.git/HEAD"}, "../" + told},
		"of its worktree":  {[]string{"shop/idemgen.yaml", "shop/svc/.git"}, ""},
		"a directory, too": {[]string{"shop/idemgen.yaml/x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			writeFile(t, filepath.Join(base, "shop/svc/go.mod"), "module example.com/svc\n")
			for _, file := range test.files {
				writeFile(t, filepath.Join(base, file), "")
			}
			got := ""
			if notices := load(t, filepath.Join(base, "shop/svc")).Notices(); notices != nil {
				got = notices.Err().Error()
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestUnreadBelow has an idemgen.yaml in parts of a module, where the whole has
// none, and then one.
func TestUnreadBelow(t *testing.T) {
	root := project(t, oneHandler+`
-- part/idemgen.yaml --
-- deep/part/idemgen.yaml --
-- module/go.mod --
-- module/idemgen.yaml --
-- plain/go.mod --
-- testdata/idemgen.yaml --
`)
	notices := func() (got []string) {
		for _, e := range load(t, root).Notices() {
			got = append(got, e.Error())
		}
		return got
	}
	tell := func(dir string) string {
		return dir + "/idemgen.yaml:1:1: this file makes ./" + dir + " a project of its own, and was not read here; if it was meant for the whole module, move it beside go.mod; " +
			"if not, run idemgen there, too, with -C " + dir + ", and write an idemgen.yaml beside go.mod, be it no more than version: 1"
	}
	if diff := cmp.Diff([]string{tell("deep/part"), tell("part")}, notices()); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	writeFile(t, filepath.Join(root, configName), "version: 1\n")
	if got := notices(); got != nil {
		t.Errorf("with one for the whole: %q", got)
	}
}
