package load

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Walk visits the files of the project at the root of fsys: not those of
// other modules and projects below it, nor of directories that the go command
// passes over. A directory that nobody lets us list, such as a database's,
// has nothing of the project. Links to directories are not followed, as the
// go command does not follow them.
func Walk(fsys fs.FS, visit func(name string, entry fs.DirEntry) error) error {
	return fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case name != "." && errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case !entry.IsDir():
			return visit(name, entry)
		case name != "." && (skipDir(entry.Name()) || isProject(fsys, name)):
			return fs.SkipDir
		}
		return nil
	})
}

// skipDir reports the directories that the go command passes over too, and
// those of other package managers.
func skipDir(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
		slices.Contains([]string{"testdata", "vendor", "node_modules"}, name)
}

// isProject reports whether a directory is a project or a module of its own.
func isProject(fsys fs.FS, dir string) bool {
	return slices.ContainsFunc([]string{moduleName, configName}, func(marker string) bool {
		info, err := fs.Stat(fsys, path.Join(dir, marker))
		return err == nil && info.Mode().IsRegular()
	})
}
