package spec

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// header begins every source of the tests. Unused imports are forgiven.
const header = `package jobs

import (
	"context"
	"database/sql"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"net/url"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"example.com/ext"
	"example.com/pb"
	"example.com/uuid"
	"github.com/nats-io/nats.go"
	"github.com/riverqueue/river/rivertype"
	"github.com/vgarvardt/gue/v5"
	"go.opentelemetry.io/otel/trace"
)

type Event struct {
	ID, Channel string
	N int
}

type Receipt struct { Text string }

`

// stubs are packages of other modules, as far as the tests need them.
var stubs = map[string]string{
	"github.com/idemgen/idemgen/runtime": `package runtime
		type Key string
		type Delivery struct { Source, MessageID, EventID string; Attempt int; Redelivered bool }`,
	"github.com/jackc/pgx/v5": `package pgx
		type Tx interface { Begin() (Tx, error); Commit() error }`,
	"github.com/jackc/pgx/v5/pgxpool": `package pgxpool
		type Tx struct{}
		type Pool struct{}`,
	"example.com/uuid": `package uuid
		type UUID [16]byte
		func (u UUID) MarshalText() ([]byte, error) { return nil, nil }; func (u *UUID) UnmarshalText([]byte) error { return nil }
		func (u UUID) String() string { return "" }`,
	"go.opentelemetry.io/otel/trace": `package trace
		type TraceID [16]byte
		func (TraceID) String() string { return "" }
		type SpanContext struct{ id TraceID }
		func (SpanContext) Flags() string { return "" }`,
	"github.com/nats-io/nats.go": `package nats
		type Msg struct { Subject, Reply string }`,
	"github.com/vgarvardt/gue/v5": `package gue
		type Job struct { ID string; ErrorCount int32 }`,
	"github.com/riverqueue/river/rivertype": `package rivertype
		type JobRow struct { ID int64; Attempt int; State string }`,
	"example.com/pb": `package pb
		import "time"
		type Timestamp struct { Seconds int64 }
		func (*Timestamp) ProtoReflect() {}; func (*Timestamp) String() string { return "" }; func (*Timestamp) AsTime() time.Time { return time.Time{} }
		type Order struct { ID string }
		func (*Order) ProtoReflect() {}; func (*Order) String() string { return "" }`,
	"example.com/ext": `package ext
		type base struct { ID string }
		type Pointing struct { *base; secret string }
		type Holding struct { base }
		type (Public struct { Ref string }; Wrapped struct { *Public })`,
}

// imports finds the stubs, and the standard library by its source.
type imports struct {
	fset *token.FileSet
	std  types.Importer
	done map[string]*types.Package
}

func newImports() *imports {
	fset := token.NewFileSet()
	return &imports{fset, importer.ForCompiler(fset, "source", nil), map[string]*types.Package{}}
}

// shared is one for all tests of the package, which run one after another:
// the standard library is type-checked once.
var shared = newImports()

// Import keeps what it has found: the importer of sources looks at the files
// every time.
func (im *imports) Import(path string) (*types.Package, error) {
	if pkg := im.done[path]; pkg != nil {
		return pkg, nil
	}
	pkg, err := im.find(path)
	im.done[path] = pkg
	return pkg, err
}

func (im *imports) find(path string) (*types.Package, error) {
	src, ok := stubs[path]
	if !ok {
		return im.std.Import(path)
	}
	file, err := parser.ParseFile(im.fset, path+".go", src, 0)
	if err != nil {
		return nil, err
	}
	return (&types.Config{Importer: im}).Check(path, im.fset, []*ast.File{file}, nil)
}

// source is a type-checked file.
type source struct {
	file   *File
	syntax *ast.File
	info   *types.Info
	at     func(token.Pos) Pos
}

func check(t testing.TB, path, src string) source {
	t.Helper()
	parsed, err := parser.ParseFile(shared.fset, path, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: shared, Error: func(err error) {
		if msg := err.Error(); !strings.Contains(msg, "imported and not used") && !strings.Contains(msg, "imported as") &&
			!strings.Contains(msg, "undefined: Undefined") {
			t.Error(err)
		}
	}}
	pkg, _ := conf.Check("example.com/jobs", shared.fset, []*ast.File{parsed}, info)
	at := func(pos token.Pos) Pos {
		p := shared.fset.PositionFor(pos, false)
		return Pos{path, p.Line, p.Column}
	}
	file := &File{Path: path, Package: &Package{Path: pkg.Path(), Name: pkg.Name(), Dir: ".", Types: pkg, Names: map[string]Pos{}}}
	return source{file, parsed, info, at}
}

// load makes handlers of the functions in a source that have directives, in
// the least way that a front end could.
func load(t testing.TB, path, src string) (*File, Errors) {
	return loadFor(t, path, src, Config{Dialects: []Dialect{Postgres}, Defaults: Standard})
}

func loadFor(t testing.TB, path, src string, cfg Config) (*File, Errors) {
	t.Helper()
	s := check(t, path, src)
	var errs Errors
	for _, decl := range s.syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if fn.Recv == nil {
			s.file.Package.Names[fn.Name.Name] = s.at(fn.Name.Pos())
		}
		directives := directivesOf(fn, s.at)
		if len(directives) == 0 {
			continue
		}
		h, es := NewHandler(Source{File: s.file, Func: s.info.Defs[fn.Name].(*types.Func), Declared: directives[0].Pos, Directives: directives, At: s.at}, cfg)
		errs = append(errs, es...)
		s.file.Handlers = append(s.file.Handlers, h)
	}
	return s.file, errs
}

func directivesOf(fn *ast.FuncDecl, at func(token.Pos) Pos) (list []Directive) {
	if fn.Doc == nil {
		return nil
	}
	for _, c := range fn.Doc.List {
		if d, ok := ast.ParseDirective(c.Slash, c.Text); ok && d.Tool == "idem" {
			list = append(list, Directive{Name: d.Name, Args: d.Args, Pos: at(d.Slash), ArgsPos: at(d.ArgsPos)})
		}
	}
	return list
}

// unmark takes the marks § out of a source, and returns where they stood.
func unmark(path, src string) (string, []Pos) {
	var marks []Pos
	for {
		before, after, ok := strings.Cut(src, "§")
		if !ok {
			return src, marks
		}
		line := strings.Count(before, "\n") + 1
		marks = append(marks, Pos{path, line, len(before) - strings.LastIndex(before, "\n")})
		src = before + after
	}
}

// wantErrors compares errors with what is wanted at each mark, to the letter.
func wantErrors(t *testing.T, errs Errors, marks []Pos, want []string) {
	t.Helper()
	if len(marks) != len(want) {
		t.Fatalf("%d marks for %d errors", len(marks), len(want))
	}
	var lines []string
	for i, w := range want {
		lines = append(lines, marks[i].String()+": "+w)
	}
	got := ""
	if err := errs.Err(); err != nil {
		got = err.Error()
	}
	if w := strings.Join(lines, "\n"); got != w {
		t.Errorf("got\n%s\nwant\n%s", got, w)
	}
}

// argCase is an argument, or a whole directive, whose errors stand at its marks.
type argCase struct {
	name, text string
	want       []string
}

// errorCase is a source whose errors stand at its marks.
type errorCase struct {
	name, src string
	want      []string
}

func runErrorCases(t *testing.T, cases []errorCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src, marks := unmark("jobs/notify.go", header+c.src)
			file, errs := load(t, "jobs/notify.go", src)
			errs = append(errs, Validate(&Spec{Files: []*File{file}})...)
			wantErrors(t, errs, marks, c.want)
			followCures(t, src, errs)
		})
	}
}

// one loads a source with one handler and no errors.
func one(t *testing.T, src string) *Handler {
	t.Helper()
	file, errs := load(t, "jobs/notify.go", header+src)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	if len(file.Handlers) != 1 {
		t.Fatalf("%d handlers", len(file.Handlers))
	}
	return file.Handlers[0]
}

// show writes a key part in short: event?.Order()?.ID: a ? before a dot is
// a nil check; then the encoder and how it is given the leaf.
func show(h *Handler, p KeyPart) string {
	if p.Text == "" {
		return fmt.Sprintf("%q", p.Literal)
	}
	b := h.Params[p.Param].Name
	for _, s := range p.Steps {
		if s.NilCheck {
			b += "?"
		}
		b += "." + s.Name
		if s.Method {
			b += "()"
		}
	}
	b += " " + string(p.Encoder)
	for _, verb := range p.Verbs {
		b += "|" + string(verb)
	}
	for _, flag := range []struct {
		set  bool
		name string
	}{{p.Optional, "optional"}, {p.Deref, "deref"}, {p.AddrOf, "addr"}, {p.Convert, "convert"}} {
		if flag.set {
			b += " " + flag.name
		}
	}
	return b
}
