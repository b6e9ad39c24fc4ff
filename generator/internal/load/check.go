package load

import (
	"go/parser"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/parallel"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

const bugCure = "this is a bug in idemgen: please report it with the handler's signature"

// Check type-checks generated Go files, by their paths relative to the root,
// together with the packages they belong to.
//
// Only what is wrong in the generated files is reported. Callers that do not
// fit a wrapper any more are mended when it is there, with the compiler's
// help, and so is a fixture of the developer's; and imports of tests that
// cannot be had do not matter: the first output comes before the go.mod that
// its tests need.
func (p *Program) Check(files map[string][]byte) error {
	return p.loader.timed("check", func() error { return p.loader.check(files) })
}

func (l *loader) check(texts map[string][]byte) error {
	out := l.emitted(texts)
	imports, err := out.imports(l.files)
	if err != nil {
		return err
	}
	if err := l.fetch(imports); err != nil {
		return err
	}
	l.exports.read(l.files.fset, imports)
	run := l.newTypesRun(out, l.run)
	return slices.Concat(l.unplaceable(texts), l.leftOutProvided(), run.all(run.checkEmitted)).Err()
}

// emitted are generated files, by directory.
type emitted struct {
	texts       map[string][]byte
	code, tests map[string][]string // their paths
}

// emitted sorts out what is to be type-checked. Tests are checked where their
// fixture is generated with them. Those that rest on one of the developer's
// are left to the compiler, as callers of the wrapper are: the fixture is
// mended when they are there.
func (l *loader) emitted(texts map[string][]byte) *emitted {
	e := &emitted{texts: texts, code: map[string][]string{}, tests: map[string][]string{}}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		dir := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") {
			e.tests[dir] = append(e.tests[dir], name)
		} else {
			e.code[dir] = append(e.code[dir], name)
		}
	}
	maps.DeleteFunc(e.tests, func(dir string, names []string) bool {
		return !slices.ContainsFunc(names, isFixture) || slices.ContainsFunc(l.found.hand[dir], isFixture)
	})
	return e
}

func isFixture(name string) bool { return strings.HasSuffix(name, spec.FixtureSuffix) }

// imports returns what the files import. Of one that does not parse it is
// what can be made out.
func (e *emitted) imports(in *files) ([]string, error) {
	var names []string
	for _, byDir := range []map[string][]string{e.code, e.tests} {
		for _, list := range byDir {
			names = append(names, list...)
		}
	}
	files := make([]*file, len(names))
	err := parallel.Do(len(names), func(i int) error {
		files[i] = in.parse(names[i], e.texts[names[i]], parser.ImportsOnly)
		return nil
	})
	return importsOf(files), err
}

// checkEmitted checks a package with its generated files. They are parsed here
// and not kept: together they are as large as the project's own.
func (r *typesRun) checkEmitted(c *checked) {
	code, broken := r.parseEmitted(c, r.emitted.code[c.dir])
	tests, alsoBroken := r.parseEmitted(c, r.emitted.tests[c.dir])
	// Which is told of when the generated file is to be written.
	occupied := slices.ContainsFunc(c.files, func(f *file) bool { return contains(code, f.path) })
	c.finish(r.checkFiles(c, slices.Concat(c.files, code), func(err types.Error) *spec.Error {
		wrong := r.files.real(err)
		if wrong == nil || broken || occupied || r.emitted.texts[wrong.Pos.File] == nil {
			return nil
		}
		wrong.Msg, wrong.Cure = "the generated code does not compile: "+wrong.Msg, bugCure
		return wrong
	}))
	if tests != nil && !broken && !alsoBroken && !occupied {
		r.checkTests(c, code, tests)
	}
	if !c.imported {
		c.types = nil // which makes room for the next ones'
	}
}

func (r *typesRun) parseEmitted(c *checked, names []string) (files []*file, broken bool) {
	for _, name := range names {
		f := r.files.parse(name, r.emitted.texts[name], 0)
		for _, err := range f.errs {
			c.wrong.Add(err.Pos, "the generated code does not parse: "+err.Msg, bugCure)
		}
		files, broken = append(files, f), broken || f.errs != nil
	}
	return files, broken
}

// checkTests checks the generated tests of a package. All else of the package
// is there for its declarations only.
func (r *typesRun) checkTests(c *checked, code, tests []*file) {
	cure := bugCure
	for _, f := range code {
		f.strip()
	}
	rest := slices.Concat(c.files, code)
	for _, f := range c.beside {
		// A hand-written file where a generated one goes is told when it is
		// to be written.
		if slices.Contains(c.TestGoFiles, path.Base(f.path)) && !contains(tests, f.path) {
			rest = append(rest, f)
			cure = "rename or adapt what the package's own tests declare; if they have no part in it, " + bugCure
		}
	}
	own := r.givenIn(c.ImportPath)
	// The generated ones come last, so that a name that is declared twice is
	// an error in them.
	r.checkFiles(c, slices.Concat(rest, tests), func(err types.Error) *spec.Error {
		wrong := r.files.real(err)
		if wrong == nil || !contains(tests, wrong.Pos.File) || strings.HasPrefix(err.Msg, "could not import") {
			return nil
		}
		if unfit, ok := own.calledIn(lineOf(r.emitted.texts[wrong.Pos.File], wrong.Pos.Line)); ok {
			return unfit
		}
		wrong.Msg, wrong.Cure = "the generated test does not compile: "+wrong.Msg, cure
		return wrong
	})
}

func contains(files []*file, name string) bool {
	return slices.ContainsFunc(files, func(f *file) bool { return f.path == name })
}
