package load

import (
	"errors"
	"io/fs"
	"path"
	"slices"
)

// Walk visits the files of the project at a root, which fsys shows: not those
// of other modules and projects below it, nor of directories that the go
// command's ./... passes over there. A directory that nobody lets us list,
// such as a database's, has nothing of the project. Links to directories are
// not followed, as the go command does not follow them.
func Walk(root string, fsys fs.FS, visit func(name string, entry fs.DirEntry) error) error {
	return walk(root, fsys, visit, func(string) {})
}

// walk is Walk, and tells the directories of other projects that it leaves out.
func walk(root string, fsys fs.FS, visit func(name string, entry fs.DirEntry) error, other func(dir string)) error {
	passed := passedBelow(root)
	return fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case name != "." && errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case !entry.IsDir():
			return visit(name, entry)
		case name == ".":
		case passed.over(name):
			return fs.SkipDir
		case isProject(fsys, name):
			other(name)
			return fs.SkipDir
		}
		return nil
	})
}

// isProject reports whether a directory is a project or a module of its own.
func isProject(fsys fs.FS, dir string) bool {
	return slices.ContainsFunc([]string{moduleName, configName}, func(marker string) bool {
		info, err := fs.Stat(fsys, path.Join(dir, marker))
		return err == nil && info.Mode().IsRegular()
	})
}
