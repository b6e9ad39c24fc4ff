package gogen

import (
	"fmt"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// fixtureOf writes what the race tests need to know of a handler and cannot
// know by themselves. It is a beginning: the file is the developer's.
func fixtureOf(h *spec.Handler) emitter {
	return func(src *spec.File, names *declarations) (File, error) {
		pkg := names.packages[src.Package.Path]
		out := &output{pkg: pkg, imports: fixtureImports(pkg, h)}
		f := newFixture(out, h, names.of[h])
		var decls []jen.Code
		if !f.given[f.args] {
			decls = append(decls, f.argsDecl())
		}
		if !f.given[f.real] {
			decls = append(decls, f.realDecl())
		}
		first := "// This file is yours: idemgen wrote it once and leaves it alone from now on."
		file, err := out.render(f.fixture, first, src.Constraint, decls)
		file.Once = true
		return file, err
	}
}

func fixtureImports(pkg *packageScope, h *spec.Handler) *imports {
	ours := []wish{
		{path: "fmt", name: "fmt"}, {path: "testing", name: "testing"}, {path: "context", name: "context"},
		{path: runtimePath, name: "idem"}, {path: idemtestPath, name: "idemtest"},
	}
	if slices.ContainsFunc(slices.Concat(h.Key.Parts, orderParts(h)), timed) {
		ours = append(ours, wish{path: "time", name: "time"})
	}
	var users []wish
	for _, t := range sampled(h) {
		users = wishes(users, t, paramNames(h)...)
	}
	return newImports(pkg, ours, users)
}

// sampled returns the types that the fixture may name.
func sampled(h *spec.Handler) []types.Type {
	list := written(h)
	for _, part := range slices.Concat(h.Key.Parts, orderParts(h)) {
		for _, step := range part.Steps {
			list = append(list, step.Type)
		}
	}
	return list
}

// fixture is a handler with the names of the variables of its fixture.
type fixture struct {
	*handler
	n, t, db string

	ctx, key, delivery string // in the example
}

func newFixture(out *output, h *spec.Handler, names *declared) *fixture {
	bodies := needs{types: sampled(h), packages: []string{"fmt", "time"}}
	if slices.ContainsFunc(h.Params, ofRun) {
		bodies.packages = append(bodies.packages, runtimePath)
	}
	f := &fixture{handler: newHandler(out, h, names, bodies, false)}
	f.n = f.scope.take("n", "nth")
	f.t = f.scope.take("t", "tb")
	f.db = f.scope.take("db", "database")
	f.ctx = f.scope.take("ctx", "runCtx")
	f.key = f.scope.take("key", "runKey")
	f.delivery = f.scope.take("delivery", "runDelivery")
	return f
}

// ofRun reports whether the wrapper has a value of its own for a parameter.
func ofRun(p spec.Param) bool { return p.Kind == spec.KeyParam || p.Kind == spec.DeliveryParam }

// argsDecl declares the maker of the n-th delivery's arguments.
func (f *fixture) argsDecl() jen.Code {
	var results []field
	var names []string
	for _, i := range f.passed() {
		results = append(results, field{f.params[i], slice(f.paramType(i))})
		names = append(names, f.params[i])
	}
	returned := strings.Join(names, ", ")
	sample := newSampler(f)
	body := sample.fill()
	if missing := sample.missing(); len(missing) > 0 {
		body = append(body, f.unfinished(missing, returned)...)
	} else {
		// return event
		body = append(body, jen.Return(jen.Id(returned)))
	}
	// notifyArgs returns the arguments of the n-th delivery: ...
	decl := above("%s returns the arguments of the n-th delivery: the same n gives the same key, another n another key%s.", f.args, f.ofOrder())
	// func notifyArgs(n int) (event ShippedEvent) {
	//	event.ID = fmt.Sprintf("id-%d", n)
	//	return event
	// }
	head := f.args + "(" + f.n + " int) "
	return decl.Func().Id(head).Add(list("func "+head, fieldTexts(results), " {")).Block(body...)
}

// unfinished says what the developer has to set, and stops the tests until
// that is done.
func (f *fixture) unfinished(missing []string, returned string) []jen.Code {
	what := strings.Join(missing, " and ")
	return append(
		// // idemgen has no value for event.Total: set one here, another for every n, and replace
		// // the panic by: return event
		comment("idemgen has no value for %s: set one here, another for every %s, and replace the panic by: return %s", what, f.n, returned),
		// panic("shipArgs: set event.Total in ship_idem_fixture_test.go")
		jen.Panic(jen.Lit(fmt.Sprintf("%s: set %s in %s", f.args, what, path.Base(f.fixture)))),
	)
}

// realDecl declares what lets the tests run the handler itself.
func (f *fixture) realDecl() jen.Code {
	f.importResult()
	idemtest := f.out.imports.of(idemtestPath)
	params := []field{{f.t, f.out.imports.of("testing") + ".TB"}, {f.db, idemtest + ".DB"}}
	typ := idemtest + ".Real[" + f.result + "]"
	// notifyReal lets the race tests run Notify itself ...
	decl := above("%s lets the race tests run %s itself too, and count the rows that it leaves in your table. "+
		"While it returns nil, they run the wrapper around a stand-in only.", f.real, f.title())
	var body []jen.Code
	for _, line := range f.example(typ) {
		// //	return &idemtest.Real[Receipt]{
		body = append(body, jen.Comment(line))
	}
	// return nil
	body = append(body, jen.Return(jen.Nil()))
	// func notifyReal(t testing.TB, db idemtest.DB) *idemtest.Real[Receipt] {
	return decl.Add(signature("func", "", f.real, params, "*"+typ)).Block(body...)
}
