package load

import (
	"path/filepath"
	"testing"
)

// The module is the one whose go.mod lies nearest, in whatever form that names
// it. A go.mod that names none has no import paths.
func TestModule(t *testing.T) {
	for text, want := range map[string]string{
		"module example.com/shop\n":                    "example.com/shop",
		"// module a\n\n\tmodule \"b.c/d\" // e\r\n":   "b.c/d",
		"go 1.26\nmodule `shop`\n":                     "shop",
		"module example.com/shop // Deprecated: no.\n": "example.com/shop",
		"module\n": "",
		"":         "",
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, moduleName), text)
		l := &loader{files: newFiles(filepath.Join(dir, "sub", "project"))}
		for range 2 {
			if got, at := l.module(); got != want || at != dir {
				t.Errorf("%q: module %q in %s", text, got, at)
			}
		}
	}
}
