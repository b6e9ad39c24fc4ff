package gogen

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// declared holds the names that a handler's outputs declare at package level,
// besides the wrapper and the key function, whose names are fixed.
type declared struct {
	spec        string          // notifySpec
	fingerprint string          // notifyFingerprint; empty if there is none
	order       string          // notifyOrder; empty if there is none
	payload     string          // notifyPayload; empty if no event is kept
	seam        string          // notifyOnceWith
	batchSeam   string          // notifyOnceBatchWith; empty if there is no batch
	test        string          // TestNotifyOnce
	args        string          // notifyArgs, in the fixture
	real        string          // notifyReal, in the fixture
	fixture     string          // path of the fixture, relative to the root
	given       map[string]bool // those of args and real that a test of the developer's declares
}

// all returns the names.
func (d *declared) all() []string {
	return []string{d.spec, d.fingerprint, d.order, d.payload, d.seam, d.batchSeam, d.test, d.args, d.real}
}

// declarations holds the package-level names of all outputs.
type declarations struct {
	of       map[*spec.Handler]*declared
	upserts  map[*spec.Upsert]*upsertNames
	packages map[string]*packageScope // by import path
}

// declare allocates the names of all outputs, package by package.
func declare(s *spec.Spec) (*declarations, error) {
	d := &declarations{of: map[*spec.Handler]*declared{}, upserts: map[*spec.Upsert]*upsertNames{}, packages: map[string]*packageScope{}}
	var errs spec.Errors
	for _, files := range byPackage(s.Files) {
		p := newPackageScope(files[0].Package)
		d.packages[p.pkg.Path] = p
		errs = append(errs, p.shadowed(files)...)
		for _, file := range files {
			p.fix(file, s.Config.Dialects)
		}
		p.takeSpecs(files)
		for _, file := range files {
			for _, h := range file.Handlers {
				d.of[h] = p.allocate(h)
			}
			for _, u := range file.Upserts {
				d.upserts[u] = p.allocateUpsert(u, s.Config.Dialects)
			}
		}
	}
	return d, errs.Err()
}

// byPackage returns the files of each package, in their order.
func byPackage(files []*spec.File) [][]*spec.File {
	var packages [][]*spec.File
	index := map[string]int{}
	for _, file := range files {
		i, ok := index[file.Package.Path]
		if !ok {
			i = len(packages)
			index[file.Package.Path] = i
			packages = append(packages, nil)
		}
		packages[i] = append(packages[i], file)
	}
	return packages
}

// packageScope owns the names that the outputs declare in a package, which lie
// in what its hand-written files declare.
type packageScope struct {
	*scope
	pkg   *spec.Package
	specs string // IdemSpecs; empty in a package without handlers
}

func newPackageScope(pkg *spec.Package) *packageScope {
	own := universe.inner("init", "main")
	own.reserve(slices.Collect(maps.Keys(pkg.Names))...)
	return &packageScope{scope: own.inner(), pkg: pkg}
}

// shadowed refuses a package that declares a predeclared name that the output
// cannot do without.
func (p *packageScope) shadowed(files []*spec.File) spec.Errors {
	var errs spec.Errors
	upserts := slices.ContainsFunc(files, func(f *spec.File) bool { return f.Upserts != nil })
	for _, name := range slices.Sorted(maps.Keys(p.pkg.Names)) {
		if needed(name) || upserts && slices.Contains(calledByUpserts, name) {
			errs.Add(p.pkg.Names[name], fmt.Sprintf("package %s declares %s, and the generated code needs the predeclared one", p.pkg.Name, name),
				"give it another name, or move the handlers to a package of their own")
		}
	}
	return errs
}

// fix takes the names that cannot be chosen, because users call them. That
// they are free is checked in package spec.
func (p *packageScope) fix(file *spec.File, dialects []spec.Dialect) {
	for _, h := range file.Handlers {
		p.reserve(h.KeyFunc())
		if h.Recv == nil {
			p.reserve(h.Wrapper())
		}
		if h.Recv == nil && h.Batched() {
			p.reserve(h.Batch())
		}
		if h.Recv == nil && h.Payload {
			p.reserve(h.Redrive())
		}
	}
	for _, u := range file.Upserts {
		for _, d := range dialects {
			one, many := u.Funcs(d, dialects)
			p.reserve(one, many)
		}
	}
}

func (p *packageScope) allocate(h *spec.Handler) *declared {
	base := h.Base()
	d := &declared{
		spec:    p.take(base+"Spec", nobodys),
		seam:    p.take(base+"OnceWith", nobodys),
		test:    p.take(testName(base), nobodys),
		fixture: path.Join(path.Dir(h.File.Path), h.SnakeBase()+spec.FixtureSuffix),
		given:   map[string]bool{},
	}
	if h.Batched() {
		d.batchSeam = p.take(base+"OnceBatchWith", nobodys)
	}
	if len(h.Fingerprint) > 0 {
		d.fingerprint = p.take(base+"Fingerprint", nobodys)
	}
	if h.Order != nil {
		d.order = p.take(base+"Order", nobodys)
	}
	if h.Payload {
		d.payload = p.take(base+"Payload", nobodys)
	}
	d.args = p.take(base+"Args", d.provides)
	d.real = p.take(base+"Real", d.provides)
	for _, name := range []string{d.args, d.real} {
		_, d.given[name] = p.pkg.Names[name]
	}
	return d
}

// take takes a name. It is free as well if it is declared where it is provided
// from. A name that an import gives any file is not: no file of the package
// may declare it then.
func (p *packageScope) take(name string, provided func(file string) bool) string {
	name = numbered(name, func(name string) bool {
		_, imported := p.pkg.Imported[name]
		at, declared := p.pkg.Names[name]
		return !imported && (p.free(name) || declared && provided(at.File) && !p.names[name])
	})
	p.reserve(name)
	return name
}

// nobodys is for names that no file of the developer's may declare.
func nobodys(string) bool { return false }

// testName returns the name of a handler's race test: TestNotifyOnce. After
// Test go test takes any letter but one in lower case, and some have no other.
func testName(base string) string {
	name := spec.UpperFirst(base) + "Once"
	if first, _ := utf8.DecodeRuneInString(name); unicode.IsLower(first) {
		name = "_" + name
	}
	return "Test" + name
}

// provides reports whether a file may declare what the fixture scaffolds: the
// fixture itself, which is the developer's from its second run on, and any
// other test, where the developer may have moved it to.
func (d *declared) provides(file string) bool {
	return file == d.fixture || strings.HasSuffix(file, "_test.go") && !strings.HasSuffix(file, spec.FixtureSuffix)
}
