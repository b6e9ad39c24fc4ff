package load

import (
	"go/ast"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

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
	out, errs := l.parseEmitted(texts)
	if errs != nil {
		return errs.Err()
	}
	if err := l.fetch(out.imports); err != nil {
		return err
	}
	run := l.newTypesRun(out.code, func(err types.Error) *spec.Error {
		wrong := l.files.real(err)
		if wrong == nil || texts[wrong.Pos.File] == nil {
			return nil
		}
		wrong.Msg, wrong.Cure = "the generated code does not compile: "+wrong.Msg, bugCure
		return wrong
	})
	run.all()
	for _, p := range l.graph.source {
		if out.tests[p.dir] == nil {
			continue
		}
		if err := run.checkTests(p, out.tests[p.dir]); err != nil {
			return err
		}
	}
	return run.wrong.Err()
}

// emitted are the generated files, by directory.
type emitted struct {
	code, tests map[string][]*file
	imports     []string
}

func (l *loader) parseEmitted(texts map[string][]byte) (emitted, spec.Errors) {
	out := emitted{code: map[string][]*file{}, tests: map[string][]*file{}}
	var errs spec.Errors
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if isFixture(name) && slices.Contains(l.found.hand[path.Dir(name)], name) {
			continue
		}
		f := l.files.parse(name, texts[name])
		for _, err := range f.errs {
			errs.Add(err.Pos, "the generated code does not parse: "+err.Msg, bugCure)
		}
		into := out.code
		if f.isTest() {
			into = out.tests
		}
		into[path.Dir(name)] = append(into[path.Dir(name)], f)
		out.imports = append(out.imports, f.imports()...)
	}
	return out, errs
}

func isFixture(name string) bool { return strings.HasSuffix(name, spec.FixtureSuffix) }

// checkTests checks the generated tests of a package. All else of the package
// is there for its declarations only. Tests that rest on a fixture of the
// developer's are left to the compiler, as callers of the wrapper are: the
// fixture is mended when they are there.
func (r *typesRun) checkTests(p *pkg, tests []*file) error {
	if !slices.ContainsFunc(tests, func(f *file) bool { return isFixture(f.path) }) {
		return nil
	}
	cure := bugCure
	rest := slices.Concat(p.files, r.extra[p.dir])
	for _, name := range p.TestGoFiles {
		name = r.files.relative(p.Dir, name)
		if isFixture(name) {
			return nil
		}
		// A hand-written file where a generated one goes is told when it is
		// to be written.
		if r.found.outputs[name] || contains(tests, name) {
			continue
		}
		f, err := r.files.read(name)
		if err != nil {
			return err
		}
		rest = append(rest, f)
		cure = "rename or adapt what the package's own tests declare; if they have no part in it, " + bugCure
	}
	var syntax []*ast.File
	for _, f := range rest {
		syntax = append(syntax, withoutBodies(f.syntax))
	}
	// The generated ones come last, so that a name that is declared twice is
	// an error in them.
	syntax = append(syntax, syntaxes(tests)...)
	r.checkFiles(p, syntax, func(err types.Error) *spec.Error {
		wrong := r.files.real(err)
		if wrong == nil || !contains(tests, wrong.Pos.File) || strings.HasPrefix(err.Msg, "could not import") {
			return nil
		}
		wrong.Msg, wrong.Cure = "the generated test does not compile: "+wrong.Msg, cure
		return wrong
	})
	return nil
}

func contains(files []*file, name string) bool {
	return slices.ContainsFunc(files, func(f *file) bool { return f.path == name })
}

// withoutBodies returns a file without the bodies of its functions.
func withoutBodies(f *ast.File) *ast.File {
	bare := *f
	bare.Decls = slices.Clone(f.Decls)
	for i, decl := range bare.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			head := *fn
			head.Body = nil
			bare.Decls[i] = &head
		}
	}
	return &bare
}
