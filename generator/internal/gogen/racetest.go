package gogen

import (
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// raceTest writes race tests: <file>_idem_test.go.
type raceTest struct {
	config  spec.Config
	up      map[spec.Dialect][]string // the migrations
	upserts upserts
}

func newRaceTest(config spec.Config, migrations func(spec.Dialect) []string, us upserts) raceTest {
	r := raceTest{config: config, up: map[spec.Dialect][]string{}, upserts: us}
	for _, d := range config.Dialects {
		r.up[d] = migrations(d)
	}
	return r
}

// testPackages are the packages that open a database of a dialect for a test.
var testPackages = map[spec.Dialect]wish{
	spec.Postgres: {path: pgtestPath, name: "pgtest"},
	spec.SQLite:   {path: sqlitetestPath, name: "sqlitetest"},
}

func (r raceTest) emit(src *spec.File, names *declarations) (File, error) {
	pkg := names.packages[src.Package.Path]
	out := &output{pkg: pkg, imports: r.imports(pkg, src)}
	var decls []jen.Code
	for _, h := range src.Handlers {
		decls = append(decls, r.testDecl(newStandIn(out, h, names.of[h])))
	}
	decls = append(decls, r.upsertDecls(out, src, names)...)
	return out.render(strings.TrimSuffix(src.Path, ".go")+spec.RaceTestSuffix, Header(src.Path), src.Constraint, decls)
}

func (r raceTest) imports(pkg *packageScope, src *spec.File) *imports {
	ours := []wish{
		{path: "context", name: "context"}, {path: "testing", name: "testing"},
		{path: runtimePath, name: "idem"}, {path: idemtestPath, name: "idemtest"},
	}
	for _, d := range r.config.Dialects {
		ours = append(ours, testPackages[d])
	}
	if src.Upserts != nil {
		ours = append(ours, wish{path: upsertPath, name: "upsert"})
	}
	var users []wish
	for _, h := range src.Handlers {
		for _, t := range written(h) {
			users = wishes(users, t, paramNames(h)...)
		}
	}
	return newImports(pkg, ours, users)
}

// written returns the types that a stand-in's signature names.
func written(h *spec.Handler) []types.Type { return append(paramTypes(h), results(h)...) }

// standIn is a handler with the names of the variables of its race test.
type standIn struct {
	*handler
	t, n, ctx, store, handle, err string
	key, delivery, tx             string // empty if the handler takes none
}

func newStandIn(out *output, h *spec.Handler, names *declared) *standIn {
	bodies := needs{types: written(h), packages: []string{"context", runtimePath, idemtestPath}}
	s := &standIn{handler: newHandler(out, h, names, bodies, false)}
	s.importResult()
	s.t = s.scope.take("t", "tb")
	s.n = s.scope.take("n", "nth")
	s.ctx = s.scope.take("ctx", "callerCtx")
	s.store = s.scope.take("store", "runs")
	s.handle = s.scope.take("handle", "handler")
	s.err = s.scope.take("err", "handleErr")
	if slices.ContainsFunc(h.Params, isKey) {
		s.key = s.scope.take("key", "runKey")
	}
	if slices.ContainsFunc(h.Params, isDelivery) {
		s.delivery = s.scope.take("delivery", "runDelivery")
	}
	if h.Transactional() {
		s.tx = s.scope.take("tx", "runTx")
	}
	return s
}

func (r raceTest) testDecl(s *standIn) jen.Code {
	idemtest := s.out.imports.of(idemtestPath)
	suite := []jen.Code{
		// Spec: notifySpec,
		jen.Id("Spec: " + s.spec),
		// Databases: []idemtest.Opener{pgtest.Open(...)},
		jen.Id("Databases: []" + idemtest + ".Opener").Add(r.databases(s)),
	}
	if s.Transactional() {
		// Transactional: true,
		suite = append(suite, jen.Id("Transactional: true"))
	}
	suite = append(suite,
		// Key: func(n int) (idem.Key, error) {...},
		jen.Id("Key:").Add(s.keyFunc()),
		// Deliver: func(ctx context.Context, store idem.Store, n int, handle ...) (Receipt, error) {...},
		jen.Id("Deliver:").Add(s.deliverFunc()),
	)
	if s.Batched() {
		// Batch: func(ctx context.Context, store idem.Store, numbers []int, handle ...) []idem.Delivered[Receipt] {...},
		suite = append(suite, jen.Id("Batch:").Add(s.batchFunc()))
	}
	suite = append(suite,
		// Real: notifyReal,
		jen.Id("Real: "+s.real),
	)
	// func TestNotifyOnce(t *testing.T) {
	//	idemtest.Race(t, idemtest.Suite[Receipt]{...})
	// }
	param := field{s.t, "*" + s.out.imports.of("testing") + ".T"}
	return signature("func", "", s.test, []field{param}, "").Block(
		jen.Id(idemtest).Dot("Race").Call(jen.Id(s.t), jen.Id(idemtest).Dot("Suite").Types(jen.Id(s.result)).Add(
			jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, suite...),
		)),
	)
}

// databases lists what opens a database, for every dialect.
func (r raceTest) databases(s *standIn) jen.Code {
	var openers []jen.Code
	for _, d := range r.config.Dialects {
		pkg := s.out.imports.of(testPackages[d].path)
		// pgtest.Open(pgtest.Config{
		//	Table: "job_runs",
		//	Migrations: []string{"../migrations/0001_idemgen_job_runs.up.sql"},
		// })
		openers = append(openers, jen.Id(pkg).Dot("Open").Call(jen.Id(pkg).Dot("Config").Add(
			jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true},
				jen.Id("Table: "+strconv.Quote(r.config.Table)),
				jen.Id("Migrations: []string").Add(r.files(d, s.File.Package.Dir)),
			),
		)))
	}
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, openers...)
}

// files lists a dialect's migrations, from the directory of the package: go
// test runs the test there.
func (r raceTest) files(d spec.Dialect, dir string) jen.Code {
	var files []string
	for _, file := range r.up[d] {
		files = append(files, strconv.Quote(relative(dir, file)))
	}
	// {"../migrations/0001_idemgen_job_runs.up.sql"}
	return literal("\t\t\t\t\tMigrations: []string", files)
}

// relative returns the path from a directory to a file, both relative to the
// root, with slashes on every machine.
func relative(dir, file string) string {
	rel, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(file))
	if err != nil {
		return path.Clean(file) // both are relative, so that there is a way
	}
	return filepath.ToSlash(rel)
}

// keyFunc makes the key of the n-th delivery.
func (s *standIn) keyFunc() jen.Code {
	params := []field{{s.n, "int"}}
	results := "(" + s.out.imports.of(runtimePath) + ".Key, error)"
	keyed := s.keyed()
	return signature("\t\tKey: func", "", "", params, results).Block(
		// event := notifyArgs(n)
		jen.Id(s.argsText(s.n, keyed)),
		// return NotifyKey(event)
		jen.Return(call("\t\t\treturn ", s.KeyFunc(), s.argsOf(keyed))),
	)
}

// deliverFunc delivers the n-th message to the seam, around a stand-in.
func (s *standIn) deliverFunc() jen.Code {
	ctxType := s.out.imports.of("context") + ".Context"
	results := "(" + s.result + ", error)"
	params := []field{
		{s.ctx, ctxType}, {s.store, s.out.imports.of(runtimePath) + ".Store"}, {s.n, "int"},
		{s.handle, "func(" + ctxType + ") " + results},
	}
	args := []string{s.ctx, s.store}
	for _, i := range s.passed() {
		args = append(args, s.params[i])
	}
	before := s.seam + "(" + strings.Join(args, ", ") + ", "
	if s.Result == nil {
		before = "struct{}{}, " + before
	}
	// struct{}{}, notifyOnceWith(ctx, store, event, func(ctx context.Context, _ ShippedEvent) error {...})
	deliver := jen.Id(before).Add(s.standInFunc("\t\t\treturn " + before + "func")).Op(")")
	return signature("\t\tDeliver: func", "", "", params, results).Block(
		// event := notifyArgs(n)
		jen.Id(s.argsText(s.n, s.passed())),
		// return notifyOnceWith(...)
		jen.Return(deliver),
	)
}

func isKey(p spec.Param) bool { return p.Kind == spec.KeyParam }

func isDelivery(p spec.Param) bool { return p.Kind == spec.DeliveryParam }

// standInParams has the handler's parameters, named where the stand-in looks
// at them.
func (s *standIn) standInParams() []field {
	firstKey, firstDelivery := slices.IndexFunc(s.Params, isKey), slices.IndexFunc(s.Params, isDelivery)
	var params []field
	for i, p := range s.Params {
		name := "_"
		switch {
		case p.Kind == spec.ContextParam:
			name = s.ctx
		case i == firstKey:
			name = s.key
		case i == firstDelivery:
			name = s.delivery
		case isTx(p):
			name = s.tx
		}
		params = append(params, field{name, s.paramType(i)})
	}
	return params
}

// standInFunc has the handler's type, and calls what idemtest counts.
func (s *standIn) standInFunc(before string) jen.Code {
	ctx, idemtest := jen.Id(s.ctx), s.out.imports.of(idemtestPath)
	if s.key != "" {
		// idemtest.WithKey(ctx, key)
		ctx = jen.Id(idemtest).Dot("WithKey").Call(ctx, jen.Id(s.key))
	}
	if s.delivery != "" {
		// idemtest.WithDelivery(idemtest.WithKey(ctx, key), delivery)
		ctx = jen.Id(idemtest).Dot("WithDelivery").Call(ctx, jen.Id(s.delivery))
	}
	if s.tx != "" {
		// idemtest.WithTx(ctx, tx)
		ctx = jen.Id(idemtest).Dot("WithTx").Call(ctx, jen.Id(s.tx))
	}
	// handle(ctx)
	handle := jen.Id(s.handle).Call(ctx)
	body := []jen.Code{jen.Return(handle)}
	if s.Result == nil {
		body = []jen.Code{
			// _, err := handle(ctx)
			jen.List(jen.Id("_"), jen.Id(s.err)).Op(":=").Add(handle),
			// return err
			jen.Return(jen.Id(s.err)),
		}
	}
	// func(ctx context.Context, _ ShippedEvent) (Receipt, error) {
	//	return handle(ctx)
	// }
	return signature(before, "", "", s.standInParams(), s.results()).Block(body...)
}
