package generator

import (
	"os"
	"path/filepath"
	"testing"
)

// What the project's packages import from source starts a run, wherever it
// lies. What is nobody's source does not.
func TestWatchSources(t *testing.T) {
	const a = "module example.com/a\n\ngo 1.26\n"
	const b = "module example.com/b\n\ngo 1.26\n"
	for _, tt := range []struct {
		name    string
		tree    map[string]string // of which a is watched
		changes []string          // relative to a
		idle    []string
	}{
		{
			name: "workspace",
			tree: map[string]string{
				"go.work": "go 1.26\n\nuse (\n\t./a\n\t./b\n)\n\nreplace example.com/c => ./c\n", "a/go.mod": a, "a/x.go": "1",
				"b/go.mod": b + "replace example.com/d v1.0.0 => ../d\n", "b/nested/go.mod": "module n\n",
			},
			changes: []string{"../b/x.go", "../b/new/y.go", "../c/x.go", "../d/new/x.go", "../b/go.mod"},
			idle:    []string{"../b/README.md", "../b/x.sql", "../b/nested/x.go", "../b/testdata/x.go", "../e/x.go"},
		},
		{
			name:    "replaced",
			tree:    map[string]string{"a/go.mod": a + "replace (\n\texample.com/b => ../b\n\texample.com/c => example.com/d v1.0.0\n)\n", "a/x.go": "1", "a/example.com/d/go.mod": b, "b/go.mod": b},
			changes: []string{"../b/x.go", "../b/go.mod"},
			idle:    []string{"../c/x.go", "example.com/d/x.go"},
		},
		{
			name:    "projects of one module",
			tree:    map[string]string{"go.mod": a, "a/idemgen.yaml": "version: 1\n", "a/x.go": "1", "a/p/idemgen.yaml": "version: 1\n", "q/idemgen.yaml": "version: 1\n"},
			changes: []string{"p/x.go", "../q/x.go", "../new/x.go", "../go.mod"},
			idle:    []string{"p/x.sql", "../q/x.sql", "../q/_x/x.go"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("GOWORK", "")
			root := filepath.Join(writeTree(t, tt.tree), "a")
			wantSources(t, watchRoot(t, root, nothing), tt.changes, tt.idle)
		})
	}
}

func wantSources(t *testing.T, w *watched, changes, idle []string) {
	t.Helper()
	w.ran(t, "1")
	for _, name := range changes {
		w.write(t, name, "// new\n")
		w.ran(t, "1")
	}
	for _, name := range idle {
		w.write(t, name, "// new\n")
		w.idle(t)
	}
	w.ends(t)
}

// What becomes a source is watched from then on, and a go.work that lies
// elsewhere is, too.
func TestWatchNewSources(t *testing.T) {
	base := writeTree(t, map[string]string{
		"a/go.mod": "module example.com/a\n\ngo 1.26\n", "a/x.go": "1", "b/go.mod": "module example.com/b\n\ngo 1.26\n",
		"else/go.work": "go 1.26\n\nuse ../a\n",
	})
	t.Setenv("GOWORK", filepath.Join(base, "else", "go.work"))
	w := watchRoot(t, filepath.Join(base, "a"), nothing)
	w.ran(t, "1")
	w.write(t, "../b/x.go", "1")
	w.idle(t)
	w.write(t, "../else/go.work", "go 1.26\n\nuse (\n\t../a\n\t../b\n)\n")
	w.ran(t, "1")
	w.write(t, "../b/x.go", "22")
	w.ran(t, "1")
	if err := os.RemoveAll(filepath.Join(base, "b")); err != nil {
		t.Fatal(err)
	}
	w.ran(t, "1")
	w.ends(t)
}

// What a run writes starts none in a project below its module's root either.
func TestWatchOwnWritesBelow(t *testing.T) {
	base := writeTree(t, map[string]string{"go.mod": "module m\n", "a/idemgen.yaml": "version: 1\n", "a/x.go": "1"})
	w := watchRoot(t, filepath.Join(base, "a"), func(root string) Result {
		if err := os.WriteFile(filepath.Join(root, "x_idem.go"), nil, 0o644); err != nil {
			t.Error(err)
		}
		return Result{Wrote: []string{"x_idem.go"}}
	})
	w.ran(t, "1")
	w.idle(t)
	w.ends(t)
}
