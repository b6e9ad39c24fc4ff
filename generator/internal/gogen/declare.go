package gogen

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// declared holds the names that a handler's outputs declare at package level,
// besides the wrapper and the key function, whose names are fixed.
type declared struct {
	spec    string          // notifySpec
	seam    string          // notifyOnceWith
	test    string          // TestNotifyOnce
	args    string          // notifyArgs, in the fixture
	real    string          // notifyReal, in the fixture
	fixture string          // path of the fixture, relative to the root
	given   map[string]bool // those of args and real that a test of the developer's declares
}

// declarations holds the package-level names of all outputs.
type declarations struct {
	of       map[*spec.Handler]*declared
	packages map[string]*packageScope // by import path
}

// declare allocates the names of all outputs, package by package.
func declare(s *spec.Spec) (*declarations, error) {
	d := &declarations{of: map[*spec.Handler]*declared{}, packages: map[string]*packageScope{}}
	var errs spec.Errors
	for _, handlers := range byPackage(s.Files) {
		p := newPackageScope(handlers[0].File.Package)
		d.packages[p.pkg.Path] = p
		errs = append(errs, p.shadowed()...)
		p.fix(handlers)
		for _, h := range handlers {
			d.of[h] = p.allocate(h)
		}
	}
	return d, errs.Err()
}

// byPackage returns the handlers of each package, in the order of the files.
func byPackage(files []*spec.File) [][]*spec.Handler {
	var packages [][]*spec.Handler
	index := map[string]int{}
	for _, file := range files {
		i, ok := index[file.Package.Path]
		if !ok {
			i = len(packages)
			index[file.Package.Path] = i
			packages = append(packages, nil)
		}
		packages[i] = append(packages[i], file.Handlers...)
	}
	return packages
}

// packageScope owns the names of one package.
type packageScope struct {
	pkg      *spec.Package
	declared map[string]spec.Pos
}

func newPackageScope(pkg *spec.Package) *packageScope {
	p := &packageScope{pkg: pkg, declared: map[string]spec.Pos{}}
	maps.Copy(p.declared, pkg.Names)
	return p
}

// shadowed refuses a package that declares a predeclared name that the output
// cannot do without.
func (p *packageScope) shadowed() spec.Errors {
	var errs spec.Errors
	for _, name := range slices.Sorted(maps.Keys(p.pkg.Names)) {
		if needed(name) {
			errs.Add(p.pkg.Names[name], fmt.Sprintf("package %s declares %s, and the generated code needs the predeclared one", p.pkg.Name, name),
				"give it another name, or move the handlers to a package of their own")
		}
	}
	return errs
}

// fix takes the names that cannot be chosen, because users call them. That
// they are free is checked in package spec.
func (p *packageScope) fix(handlers []*spec.Handler) {
	for _, h := range handlers {
		p.declared[h.KeyFunc()] = h.Pos
		if h.Recv == nil {
			p.declared[h.Wrapper()] = h.Pos
		}
	}
}

func (p *packageScope) allocate(h *spec.Handler) *declared {
	base := h.Base()
	d := &declared{
		spec:    p.take(h, base+"Spec", nobodys),
		seam:    p.take(h, base+"OnceWith", nobodys),
		test:    p.take(h, "Test"+spec.UpperFirst(base)+"Once", nobodys),
		fixture: path.Join(path.Dir(h.File.Path), h.SnakeBase()+spec.FixtureSuffix),
		given:   map[string]bool{},
	}
	for _, name := range []struct {
		into *string
		stem string
	}{{&d.args, base + "Args"}, {&d.real, base + "Real"}} {
		*name.into = p.take(h, name.stem, d.provides)
		_, d.given[*name.into] = p.pkg.Names[*name.into]
	}
	return d
}

// nobodys is for names that no file of the developer's may declare.
func nobodys(string) bool { return false }

// provides reports whether a file may declare what the fixture scaffolds: the
// fixture itself, which is the developer's from its second run on, and any
// other test, where the developer may have moved it to.
func (d *declared) provides(file string) bool {
	return file == d.fixture || strings.HasSuffix(file, "_test.go") && !strings.HasSuffix(file, spec.FixtureSuffix)
}

// take allocates a name. It is free as well if it is declared where it is
// provided from. A name that an import gives any file is not: no file of the
// package may declare it then.
func (p *packageScope) take(h *spec.Handler, name string, provided func(file string) bool) string {
	unique := name
	for n := 2; ; n++ {
		at, declared := p.declared[unique]
		_, imported := p.pkg.Imported[unique]
		if !imported && (!declared || provided(at.File)) {
			p.declared[unique] = h.Pos
			return unique
		}
		unique = fmt.Sprintf("%s%d", name, n)
	}
}

// has reports whether the package, with all outputs, declares a name. No
// import in any of its files can then have it.
func (p *packageScope) has(name string) bool {
	_, ok := p.declared[name]
	return ok
}
