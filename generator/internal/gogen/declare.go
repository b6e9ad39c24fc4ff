package gogen

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// declared holds the names that a handler's outputs declare at package level,
// besides the wrapper and the key function, whose names are fixed.
type declared struct {
	spec    string // notifySpec
	seam    string // notifyOnceWith
	test    string // TestNotifyOnce
	args    string // notifyArgs, in the fixture
	real    string // notifyReal, in the fixture
	fixture string // path of the fixture, relative to the root
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
	fixture := path.Join(path.Dir(h.File.Path), h.SnakeBase()+"_idem_fixture_test.go")
	return &declared{
		spec:    p.take(h, base+"Spec", ""),
		seam:    p.take(h, base+"OnceWith", ""),
		test:    p.take(h, "Test"+upperFirst(base)+"Once", ""),
		args:    p.take(h, base+"Args", fixture),
		real:    p.take(h, base+"Real", fixture),
		fixture: fixture,
	}
}

// take allocates a name. The one that stands in own already is free: the
// fixture is the developer's file from its second run on.
func (p *packageScope) take(h *spec.Handler, name, own string) string {
	unique := name
	for n := 2; ; n++ {
		if at, ok := p.declared[unique]; !ok || own != "" && at.File == own {
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
