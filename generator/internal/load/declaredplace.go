package load

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// locate finds the directory of a function. The error has no place.
func (l *loader) locate(d spec.Declaration) (*wanted, *spec.Error) {
	names, wrong := parseFuncName(d.Func)
	if wrong != nil {
		return nil, wrong
	}
	var there []*wanted
	for _, name := range names {
		if dir, ok := l.packageDir(name.pkg); ok && l.found.hand[dir] != nil {
			there = append(there, &wanted{Declaration: d, name: name, dir: dir})
		}
	}
	if len(there) == 0 {
		return nil, l.noPackage(l.likeliest(names))
	}
	for _, w := range there {
		if len(there) == 1 {
			break
		}
		if found, err := l.functions(w.dir, w.name); err == nil && found != nil {
			return w, nil
		}
	}
	return there[0], nil
}

// likeliest returns the reading of a name whose package is nearly one of the
// project's.
func (l *loader) likeliest(names []funcName) funcName {
	dirs := slices.Sorted(maps.Keys(l.found.hand))
	for _, name := range names {
		if dir := path.Clean(name.pkg); slices.Contains(dirs, dir) || spec.Suggest(dir, dirs) != "" {
			return name
		}
	}
	return names[0]
}

// shown is a directory in a message.
func shown(dir string) string {
	if dir == "." {
		return "the root"
	}
	return "./" + dir
}

// packageDir returns the directory of a package relative to the root, or
// false if its import path does not begin with the module's.
func (l *loader) packageDir(pkg string) (string, bool) {
	if pkg == "" {
		return ".", true
	}
	if isRelative(pkg) {
		return l.files.relative(l.files.root, filepath.FromSlash(pkg)), true
	}
	module, dir := l.module()
	rest, ok := strings.CutPrefix(pkg+"/", module+"/")
	if module == "" || !ok {
		return "", false
	}
	return l.files.relative(dir, filepath.FromSlash(rest)), true
}

// isRelative reports whether a package is named by its directory.
func isRelative(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return first == "." || first == ".."
}

var moduleLine = regexp.MustCompile("(?m)^[ \\t]*module[ \\t]+[\"`]?([^\\s\"`()]+)")

// module returns the path and the directory of the module that the root lies
// in. A go.mod that is broken is told elsewhere.
func (l *loader) module() (modulePath, dir string) {
	if l.moduleDir == "" {
		dir = ModuleDir(l.files.root)
		l.moduleDir = dir
		if data, err := os.ReadFile(filepath.Join(dir, moduleName)); err == nil {
			if m := moduleLine.FindSubmatch(data); m != nil {
				l.modulePath = string(m[1])
			}
		}
	}
	return l.modulePath, l.moduleDir
}

// noPackage says why a function's package is none of the project's.
func (l *loader) noPackage(name funcName) *spec.Error {
	dir, ok := l.packageDir(name.pkg)
	switch {
	case !ok:
		return l.notOurs(name)
	case !isLocal(dir):
		return l.outside(dir)
	}
	if other := l.project(dir); other != "" {
		return &spec.Error{
			Msg:  shown(dir) + " lies in another project",
			Cure: "declare the handler in that project's own " + path.Join(other, configName),
		}
	}
	if over := l.passedAbove(dir); over != "" {
		return l.passedOver(dir, over)
	}
	if wrong := l.linkTo(dir, name); wrong != nil {
		return wrong
	}
	msg := "there is no directory " + shown(dir)
	if _, err := os.Stat(filepath.Join(l.files.root, filepath.FromSlash(dir))); err == nil {
		msg = "no Go file lies in " + shown(dir)
	}
	return &spec.Error{Msg: msg, Cure: l.nearDir(dir, name)}
}

// project returns the directory of the project or module below ours that a
// directory lies in, if any.
func (l *loader) project(dir string) string {
	return outermost(dir, func(above string) bool { return isProject(os.DirFS(l.files.root), above) })
}

// passedAbove returns the directory, that a directory is or lies in, which
// ./... passes over, if any.
func (l *loader) passedAbove(dir string) string { return outermost(dir, l.found.passed.over) }

func (l *loader) passedOver(dir, over string) *spec.Error {
	wrong := &spec.Error{Msg: "the go command's ./... passes over " + shown(dir), Cure: "move the package to another directory"}
	if dir != over {
		wrong.Msg = fmt.Sprintf("%s lies in %s, which the go command's ./... passes over", shown(dir), shown(over))
	}
	if l.found.passed.ignored(over) {
		wrong.Cure += ", or take it out of the ignore directives of go.mod"
	}
	return wrong
}

// outermost returns the first directory on the way to one, and with it, that
// is of a kind; or "".
func outermost(dir string, is func(dir string) bool) string {
	for i := range len(dir) + 1 {
		if (i == len(dir) || dir[i] == '/') && dir[:i] != "." && is(dir[:i]) {
			return dir[:i]
		}
	}
	return ""
}

// nearDir says which directory was meant.
func (l *loader) nearDir(dir string, name funcName) string {
	dirs := slices.Sorted(maps.Keys(l.found.hand))
	if slices.Contains(l.found.hand[path.Dir(dir)], dir) {
		return "that is a file: write " + name.in(path.Dir(dir))
	}
	if near := spec.Suggest(dir, dirs); near != "" {
		return "did you mean " + name.in(near) + "?"
	}
	return funcCure
}

// outside says where a handler beyond the root belongs.
func (l *loader) outside(dir string) *spec.Error {
	full := filepath.Join(l.files.root, filepath.FromSlash(dir))
	if _, err := os.Stat(full); err != nil {
		return &spec.Error{Msg: "there is no directory " + dir, Cure: "name a directory of the project, such as ./jobs.Notify"}
	}
	wrong := &spec.Error{Msg: dir + " lies outside of the project"}
	other, err := FindRoot(full)
	switch own, inOwn := l.files.relative(other), err == nil; {
	case !inOwn:
		wrong.Cure = "move the package into the project"
	case strings.HasPrefix(l.files.root+string(filepath.Separator), other+string(filepath.Separator)):
		wrong.Cure = fmt.Sprintf("declare the handler in %s, or move this file up to %s", path.Join(own, configName), own)
	default:
		wrong.Cure = "declare the handler in that project's own " + path.Join(own, configName)
	}
	return wrong
}

// notOurs says what a package is whose import path is not of our module.
func (l *loader) notOurs(name funcName) *spec.Error {
	if wrong := l.misnamed(name); wrong != nil {
		return wrong
	}
	return &spec.Error{Msg: "there is no package " + name.pkg, Cure: l.nearPath(name)}
}

// nearPath says which import path was meant.
func (l *loader) nearPath(name funcName) string {
	module, dir := l.module()
	dirs := map[string]string{} // by import path
	for hand := range l.found.hand {
		rel, err := filepath.Rel(dir, filepath.Join(l.files.root, hand))
		if err == nil {
			dirs[path.Join(module, filepath.ToSlash(rel))] = hand
		}
	}
	if near := spec.Suggest(name.pkg, slices.Sorted(maps.Keys(dirs))); near != "" {
		return "did you mean " + name.in(dirs[near]) + "?"
	}
	return funcCure
}
