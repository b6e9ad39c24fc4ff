package load

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// misnamed finds a package that is named in a way that does not do, or nothing.
func (l *loader) misnamed(name funcName) *spec.Error {
	dir := path.Clean(name.pkg)
	if l.found.hand[dir] != nil {
		return &spec.Error{Msg: fmt.Sprintf("%s is no import path of this module", name.pkg), Cure: "write " + name.in(dir)}
	}
	if l.others == nil {
		l.others = l.listOthers()
	}
	if p := l.others[name.pkg]; p != nil {
		return l.elsewhere(p)
	}
	return nil
}

// listOthers asks at once for all packages that idemgen.yaml names and that
// are not the project's, and returns those that there are.
func (l *loader) listOthers() map[string]*goPackage {
	var paths []string
	for _, d := range l.opts.Config.Handlers {
		names, _ := parseFuncName(d.Func)
		for _, name := range names {
			if importPath := l.otherPackage(name); isImportPath(importPath) {
				paths = append(paths, importPath)
			}
		}
	}
	others := map[string]*goPackage{}
	if len(paths) == 0 {
		return others
	}
	slices.Sort(paths)
	args := []string{"-mod=readonly", "-json=ImportPath,Dir,Module", "--"}
	listed, _ := goList(l.ctx, l.files.root, slices.Concat(args, slices.Compact(paths))...)
	for _, p := range listed {
		if p.Dir != "" {
			others[p.ImportPath] = p
		}
	}
	return others
}

// otherPackage returns the package that a name may mean beside those of the
// project. What stands before the dot in strings.ToUpper may be one.
func (l *loader) otherPackage(name funcName) string {
	if name.pkg == "" && !name.exact {
		return name.recv
	}
	if _, ours := l.packageDir(name.pkg); ours {
		return ""
	}
	return name.pkg
}

// isImportPath reports whether the go command takes a text for one package,
// and not for a file, a directory or a pattern.
func isImportPath(text string) bool {
	switch text {
	case "", "all", "cmd", "std", "tool", "work":
		return false
	}
	return !strings.ContainsFunc(text, unimportable) && !strings.Contains(text, "...") &&
		!strings.HasPrefix(text, "/") && !strings.HasPrefix(text, ".") && !strings.HasSuffix(text, ".go")
}

// elsewhere says whose a package is.
func (l *loader) elsewhere(p *goPackage) *spec.Error {
	switch m := p.Module; {
	case m == nil:
		return &spec.Error{Msg: p.ImportPath + " is in the standard library", Cure: wrapperCure}
	case p.local():
		return &spec.Error{
			Msg:  fmt.Sprintf("%s is a package of another module, %s", p.ImportPath, m.Path),
			Cure: "declare the handler in that module's own " + l.files.relative(m.Dir, configName),
		}
	default:
		return &spec.Error{Msg: fmt.Sprintf("%s is a package of another module, %s", p.ImportPath, m.Path), Cure: wrapperCure}
	}
}
