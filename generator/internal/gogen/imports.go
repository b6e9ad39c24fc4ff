package gogen

import (
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// The packages that the output itself calls.
const (
	runtimePath    = spec.RuntimePath
	idemtestPath   = runtimePath + "/idemtest"
	pgtestPath     = idemtestPath + "/pgtest"
	sqlitetestPath = idemtestPath + "/sqlitetest"
)

// wish is a package that a file may import.
type wish struct {
	path, name string
	// params are the names of parameters that are in scope where the package
	// is needed: they keep their names, and the import gets another.
	params []string
}

// wishes notes the packages of a type, which is needed where the parameters
// are in scope.
func wishes(list []wish, t types.Type, params ...string) []wish {
	types.TypeString(t, func(p *types.Package) string {
		i := slices.IndexFunc(list, func(w wish) bool { return w.path == p.Path() })
		if i < 0 {
			i = len(list)
			list = append(list, wish{path: p.Path(), name: p.Name()})
		}
		list[i].params = append(list[i].params, params...)
		return ""
	})
	return list
}

// imports owns the import names of one file.
type imports struct {
	self  string            // path of the file's own package
	name  map[string]string // by path
	real  map[string]string // the package's own name, by path
	used  map[string]bool   // by path
	texts map[types.Type]*typeText
}

// newImports allocates names for the packages that a file may import, ours
// before the user's. A package has its own name where that is free.
func newImports(p *packageScope, ours, users []wish) *imports {
	im := &imports{
		self: p.pkg.Path, name: map[string]string{}, real: map[string]string{}, used: map[string]bool{},
		texts: map[types.Type]*typeText{},
	}
	file := p.inner()
	free := func(w wish) func(string) bool {
		return func(name string) bool { return file.free(name) && !slices.Contains(w.params, name) }
	}
	give := func(w wish, name string) {
		im.name[w.path], im.real[w.path] = name, w.name
		file.reserve(name)
	}
	all := append(slices.Clone(ours), users...)
	for _, w := range all {
		if im.lacks(w.path) && free(w)(w.name) {
			give(w, w.name)
		}
	}
	for _, w := range all {
		if im.lacks(w.path) {
			give(w, numbered(alias(w.path, w.name), free(w)))
		}
	}
	return im
}

// lacks reports whether a package has to get a name.
func (im *imports) lacks(importPath string) bool {
	return importPath != im.self && im.name[importPath] == ""
}

// alias returns another name for a package: stdcontext for context, shopevent
// for example.com/shop/event.
func alias(importPath, name string) string {
	if !strings.Contains(importPath, "/") {
		return "std" + name
	}
	parent := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, path.Base(path.Dir(unversioned(importPath))))
	if parent == "" || unicode.IsDigit([]rune(parent)[0]) {
		return name + "pkg"
	}
	return parent + name
}

var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

func unversioned(importPath string) string { return majorVersion.ReplaceAllString(importPath, "") }

// of returns the name of a package that the file then imports.
func (im *imports) of(importPath string) string {
	im.used[importPath] = true
	return im.name[importPath]
}

// typeText is a type as the file writes it.
type typeText struct {
	text  string
	paths []string // of the packages that it names
}

func (im *imports) write(t types.Type) *typeText {
	if written := im.texts[t]; written != nil {
		return written
	}
	written := &typeText{}
	written.text = types.TypeString(t, func(p *types.Package) string {
		if p.Path() != im.self {
			written.paths = append(written.paths, p.Path())
		}
		return im.name[p.Path()]
	})
	im.texts[t] = written
	return written
}

// text returns a type as Go text; the file then imports what it names.
func (im *imports) text(t types.Type) string {
	written := im.write(t)
	for _, named := range written.paths {
		im.used[named] = true
	}
	return written.text
}

// peek returns a type as Go text.
func (im *imports) peek(t types.Type) string { return im.write(t).text }

// variables returns a scope for the variables of a handler in the file. They
// hide no import, whether their functions need it or not.
func (im *imports) variables() *scope {
	return universe.inner(slices.Collect(maps.Values(im.name))...).inner()
}

// block returns the import declaration, the standard library first.
func (im *imports) block() jen.Code {
	var std, others []jen.Code
	for _, importPath := range slices.Sorted(maps.Keys(im.used)) {
		if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") {
			others = append(others, im.spec(importPath))
		} else {
			std = append(std, im.spec(importPath))
		}
	}
	if len(std) > 0 && len(others) > 0 {
		std = append(std, jen.Line())
	}
	// import (
	//	"context"
	//
	//	idem "github.com/idemgen/idemgen/runtime"
	// )
	return jen.Id("import").Defs(append(std, others...)...)
}

// spec returns one import, with its name where the path does not tell it.
func (im *imports) spec(importPath string) jen.Code {
	if name := im.name[importPath]; name != path.Base(unversioned(importPath)) || name != im.real[importPath] {
		// idem "github.com/idemgen/idemgen/runtime"
		return jen.Id(name).Lit(importPath)
	}
	// "context"
	return jen.Lit(importPath)
}
