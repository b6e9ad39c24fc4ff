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

// look looks at the project's files, and at those above that say what its
// module and workspace are.
func look(root string) (view, error) {
	seen := view{}
	seen.above(root)
	return seen, seen.project(root)
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
	if err := load.Walk(fsys, take); err != nil {
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
	if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
		v[name] = info
	}
}

var (
	moduleFiles  = []string{"go.mod", "go.sum", "go.work", "go.work.sum", ConfigName}
	projectFiles = append([]string{"idemgen.yml", sqlgen.LockName, schemaName}, moduleFiles...)
)

// matters reports whether a file of this name is read or written.
func matters(name string) bool {
	return slices.Contains([]string{".go", ".sql"}, path.Ext(name)) || slices.Contains(projectFiles, name)
}
