package generator

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/load"
)

// leftOver returns the removal of each owned file that is not wanted any
// more: its handler was renamed or lost its directive. It looks through the
// project, and into the directories of the wanted files, which may lie where
// the project's packages do not.
func leftOver(dir *os.Root, wanted map[string]bool) ([]change, error) {
	var changes []change
	seen := map[string]bool{}
	consider := func(name string, entry fs.DirEntry) error {
		if wanted[name] || seen[name] || !entry.Type().IsRegular() || !ownedName(name) {
			return nil
		}
		seen[name] = true
		data, err := readFile(dir, name)
		if err != nil {
			return err
		}
		if owned(name, data) && !isWanted(dir, name, wanted) {
			changes = append(changes, change{path: name, before: data})
		}
		return nil
	}
	if err := load.Walk(dir.Name(), dir.FS(), consider); err != nil {
		return nil, err
	}
	for _, name := range directories(wanted) {
		if err := readDir(dir.FS(), name, consider); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// isWanted reports whether a file is one of the wanted by another name: where upper
// and lower case are one, the output of a source file whose name changed its case.
func isWanted(dir *os.Root, name string, wanted map[string]bool) bool {
	info, err := dir.Lstat(name)
	if err != nil {
		return false
	}
	for other := range wanted {
		if !strings.EqualFold(other, name) {
			continue
		}
		if same, err := dir.Lstat(other); err == nil && os.SameFile(info, same) {
			return true
		}
	}
	return false
}

func directories(files map[string]bool) []string {
	dirs := map[string]bool{}
	for name := range files {
		dirs[path.Dir(name)] = true
	}
	return slices.Sorted(maps.Keys(dirs))
}

func readDir(fsys fs.FS, dir string, visit func(name string, entry fs.DirEntry) error) error {
	entries, err := fs.ReadDir(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := visit(path.Join(dir, entry.Name()), entry); err != nil {
			return err
		}
	}
	return nil
}
