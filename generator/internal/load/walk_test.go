package load

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// closedFS has a directory that nobody may list, also for root.
type closedFS struct {
	fstest.MapFS
	closed string
}

func (c closedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == c.closed {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return c.MapFS.ReadDir(name)
}

func TestWalk(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{
		"go.mod", "idemgen.yaml", "a.go", "sub/b.go", "sub/deep/c.sql",
		"module/go.mod", "module/x.go", "project/idemgen.yaml", "project/sub/x.go",
		"vendor/a.go", "vendor/v/x.go", "vendor/v/vendor/x.go", "sub/vendor/a.go", "sub/vendor/v/x.go", "node_modules/m/a.go",
		"sub/testdata/x.go", "_off/x.go", ".git/x.go",
		"data/x.go",
	} {
		files[name] = &fstest.MapFile{}
	}
	var got []string
	err := Walk(t.TempDir(), closedFS{files, "data"}, func(name string, _ fs.DirEntry) error {
		got = append(got, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.go", "go.mod", "idemgen.yaml", "node_modules/m/a.go", "sub/b.go", "sub/deep/c.sql", "sub/vendor/a.go", "vendor/a.go"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if err := Walk(t.TempDir(), closedFS{files, "."}, func(string, fs.DirEntry) error { return nil }); err == nil {
		t.Error("no error for a root that cannot be listed")
	}
}
