package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindRoot(t *testing.T) {
	top := t.TempDir()
	module := filepath.Join(top, "module")
	for _, name := range []string{
		"idemgen.yaml", // above the module: not its own
		"module/go.mod", "module/plain/x.go",
		"module/project/idemgen.yaml", "module/project/jobs/x.go", "module/project/inner/idemgen.yaml",
		"module/nested/go.mod", "module/nested/jobs/x.go", "module/nested/jobs/idemgen.yaml/x",
	} {
		writeFile(t, filepath.Join(top, name), "")
	}
	for dir, want := range map[string]string{
		"module":               "module",
		"module/plain":         "module",
		"module/project":       "module/project",
		"module/project/jobs":  "module/project",
		"module/project/inner": "module/project/inner",
		"module/nested/jobs":   "module/nested",
	} {
		got, err := FindRoot(filepath.Join(top, dir))
		if err != nil || got != filepath.Join(top, want) {
			t.Errorf("FindRoot(%s) = %s, %v, want %s", dir, got, err, want)
		}
	}
	if _, err := FindRoot(t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), "no go.mod here or above; run go mod init") {
		t.Errorf("outside of everything: %v", err)
	}
	unread := filepath.Join(top, configName) + " is read beside a go.mod or below it"
	if _, err := FindRoot(top); err == nil || !strings.HasSuffix(err.Error(), "lies in no Go module: no go.mod here or above; run go mod init; "+unread) {
		t.Errorf("outside of a module: %v", err)
	}
	writeFile(t, filepath.Join(top, "go.work"), "go 1.26\n")
	if _, err := FindRoot(top); err == nil || !strings.HasSuffix(err.Error(), "no go.mod here or above; a workspace has several: name the directory of one with -C; "+unread) {
		t.Errorf("at the root of a workspace: %v", err)
	}
	t.Chdir(filepath.Join(module, "plain"))
	if got, err := FindRoot("."); err != nil || got != module {
		t.Errorf("FindRoot(.) = %s, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(module, configName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := FindRoot("."); err != nil || got != module {
		t.Errorf("with a configuration beside go.mod, FindRoot(.) = %s, %v", got, err)
	}
}
