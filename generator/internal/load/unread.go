package load

import (
	"os"
	"path"
	"path/filepath"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// unreadAbove returns what to tell of an idemgen.yaml that may have been meant
// for the project and is nobody's: above the module's directory, in no module, up
// to where the repository ends, or beside the directory, where there is none. One of
// a module above is for what lies there.
func (l *loader) unreadAbove() (notices spec.Errors) {
	_, dir := l.module()
	if dir == "" || isFile(filepath.Join(l.files.root, configName)) {
		return nil
	}
	cure := "if it was meant for this module, move it beside " + l.files.relative(dir, moduleName)
	for _, above := range above(dir) {
		name := filepath.Join(above, configName)
		if !isFile(name) {
			continue
		}
		if ModuleDir(above) == "" {
			notices.Add(top(l.files.relative(name)), "this file lies above the directory of go.mod, and is not read there", cure)
		}
		break
	}
	return notices
}

// above returns the directories above one that are of the same repository, the
// nearest first, or only the nearest, where there is no repository.
func above(dir string) (dirs []string) {
	for !exists(filepath.Join(dir, ".git")) {
		if dir == filepath.Dir(dir) {
			return dirs[:min(1, len(dirs))]
		}
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// unreadBelow returns what to tell of an idemgen.yaml in a part of the module,
// where the whole has none: it may have been meant for all.
func (l *loader) unreadBelow() (notices spec.Errors) {
	if isFile(filepath.Join(l.files.root, configName)) {
		return nil
	}
	for _, dir := range l.found.others {
		name := path.Join(dir, configName)
		if isFile(l.files.absolute(name)) && !isFile(l.files.absolute(path.Join(dir, moduleName))) {
			notices.Add(top(name), "this file makes "+shown(dir)+" a project of its own, and was not read here",
				"if it was meant for the whole module, move it beside go.mod; if not, run idemgen there, too, with -C "+dir+", and write an "+configName+" beside go.mod, be it no more than version: 1")
		}
	}
	return notices
}
