package generator

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/load"
	"github.com/idemgen/idemgen/generator/internal/sqlgen"
)

// view is what the files that matter look like from outside, by their paths
// relative to the root.
type view map[string]fs.FileInfo

// same reports whether nobody has written to a file, as far as one can see
// without reading it.
func same(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode() && os.SameFile(a, b)
}

// look looks at the project's files, at those above that say what its module
// and workspace are, and at the Go files of the modules that it takes from
// source.
func look(root string, from sources) (view, error) {
	seen := view{}
	seen.above(root)
	if from.workspace != "" {
		seen.take(root, nameFrom(root, from.workspace))
	}
	for _, dir := range from.modules {
		seen.module(root, dir)
	}
	return seen, seen.project(root)
}

// module takes in the Go files of a module, and what says of which modules
// they are: those of other projects, too, but not those of modules below it.
func (v view) module(root, dir string) {
	// What cannot be read, the run tells.
	_ = load.Walk(dir, moving{undivided{os.DirFS(dir)}}, func(name string, _ fs.DirEntry) error {
		if path.Ext(name) == ".go" || name == "go.mod" {
			v.take(root, nameFrom(root, filepath.Join(dir, filepath.FromSlash(name))))
		}
		return nil
	})
}

// nameFrom names a file as the view does. One on another drive has no name
// relative to the root.
func nameFrom(root, full string) string {
	if rel, err := filepath.Rel(root, full); err == nil {
		full = rel
	}
	return filepath.ToSlash(full)
}

// undivided is a file system in which no idemgen.yaml sets a directory apart.
type undivided struct{ fs.FS }

func (u undivided) Open(name string) (fs.File, error) {
	if path.Base(name) == ConfigName {
		return nil, fs.ErrNotExist
	}
	return u.FS.Open(name)
}

// project takes in what leftOver looks through, too: the project, and the
// directories for SQL, which may lie where the project's packages do not.
func (v view) project(root string) error {
	take := func(name string, entry fs.DirEntry) error {
		if matters(entry.Name()) {
			v.take(root, name)
		}
		return nil
	}
	fsys := moving{os.DirFS(root)}
	if err := load.Walk(root, fsys, take); err != nil {
		return err
	}
	config, err := load.ReadConfig(root)
	if err != nil {
		return nil // which the run tells
	}
	if config.Schema != "" {
		v.take(root, config.Schema)
	}
	for _, dir := range sqlgen.Folders(config) {
		_ = readDir(fsys, dir, take) // what stands in the way, the run tells
	}
	return nil
}

func (v view) above(root string) {
	for dir, name := root, "."; dir != filepath.Dir(dir); {
		dir, name = filepath.Dir(dir), path.Join(name, "..")
		for _, file := range moduleFiles {
			v.take(root, path.Join(name, file))
		}
	}
}

// moving is a file system in which a directory may go while one is on the way
// to it: it is as good as empty. The root's absence shows before it is read.
type moving struct{ fs.FS }

func (m moving) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(m.FS, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// take looks at a file. One that is gone by now, or a link to nothing, is as
// good as none.
func (v view) take(root, name string) {
	if _, seen := v[name]; seen {
		return
	}
	if info, err := os.Stat(within(root, name)); err == nil {
		v[name] = info
	}
}

var (
	moduleFiles  = []string{"go.mod", "go.sum", "go.work", "go.work.sum", ConfigName}
	projectFiles = append([]string{"idemgen.yml", sqlgen.LockName}, moduleFiles...)
)

// matters reports whether a file of this name is read or written.
func matters(name string) bool {
	return slices.Contains([]string{".go", ".sql"}, path.Ext(name)) || slices.Contains(projectFiles, name)
}
