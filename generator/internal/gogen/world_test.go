package gogen_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// world is the compiled packages that the cases and the output import.
type world struct {
	fset     *token.FileSet
	compiled types.Importer
}

var outside = sync.OnceValues(func() (*world, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		"errors", "fmt", "math/big", "net", "slices", "strings", "testing", "time",
		spec.RuntimePath+"/idemtest/pgtest", spec.RuntimePath+"/idemtest/sqlitetest")
	cmd.Dir = repo
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		importPath, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[importPath] = file
	}
	w := &world{fset: token.NewFileSet()}
	w.compiled = importer.ForCompiler(w.fset, "gc", func(importPath string) (io.ReadCloser, error) {
		if files[importPath] == "" {
			return nil, fmt.Errorf("no export data of %s", importPath)
		}
		return os.Open(files[importPath])
	})
	return w, nil
})

func newWorld(t testing.TB) *world {
	t.Helper()
	w, err := outside()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// memory is a module in memory.
type memory struct {
	*world
	path    string
	files   map[string]*ast.File      // by path, slash-separated, relative to the root
	checked map[string]*types.Package // without tests, by directory
}

func (w *world) module(path string) *memory {
	return &memory{world: w, path: path, files: map[string]*ast.File{}, checked: map[string]*types.Package{}}
}

func (m *memory) add(file string, data []byte) error {
	syntax, err := parser.ParseFile(m.fset, file, data, parser.ParseComments|parser.SkipObjectResolution)
	m.files[file] = syntax
	clear(m.checked)
	return err
}

// in returns the files of a directory.
func (m *memory) in(dir string, tests bool) []*ast.File {
	var files []*ast.File
	for _, file := range slices.Sorted(maps.Keys(m.files)) {
		if path.Dir(file) == dir && (tests || !strings.HasSuffix(file, "_test.go")) {
			files = append(files, m.files[file])
		}
	}
	return files
}

// dirs returns the directories that hold a package.
func (m *memory) dirs() []string {
	dirs := map[string]bool{}
	for file := range m.files {
		if !strings.HasSuffix(file, "_test.go") {
			dirs[path.Dir(file)] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs))
}

// Import is that of a [types.Importer].
func (m *memory) Import(importPath string) (*types.Package, error) {
	if dir, ok := strings.CutPrefix(importPath+"/", m.path+"/"); ok {
		return m.check(path.Clean(dir), nil)
	}
	return m.compiled.Import(importPath)
}

// check type-checks a package without its tests.
func (m *memory) check(dir string, info *types.Info) (*types.Package, error) {
	if pkg := m.checked[dir]; pkg != nil && info == nil {
		return pkg, nil
	}
	pkg, err := m.checkFiles(dir, m.in(dir, false), info)
	m.checked[dir] = pkg
	return pkg, err
}

// checkTests type-checks a package with its tests.
func (m *memory) checkTests(dir string) error {
	_, err := m.checkFiles(dir, m.in(dir, true), nil)
	return err
}

func (m *memory) checkFiles(dir string, files []*ast.File, info *types.Info) (*types.Package, error) {
	var errs []error
	cfg := &types.Config{Importer: m, Error: func(err error) { errs = append(errs, err) }}
	pkg, err := cfg.Check(path.Join(m.path, dir), m.fset, files, info)
	if len(errs) > 1 {
		err = fmt.Errorf("%w, and %d more", err, len(errs)-1)
	}
	return pkg, err
}

func (m *memory) at(pos token.Pos) spec.Pos {
	p := m.fset.PositionFor(pos, false)
	return spec.Pos{File: p.Filename, Line: p.Line, Col: p.Column}
}

// spec makes the model of the module. The errors that are not spec.Errors
// are those of the types.
func (m *memory) spec(cfg spec.Config) (*spec.Spec, error) {
	s := &spec.Spec{Config: cfg}
	var errs spec.Errors
	for _, dir := range m.dirs() {
		info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
		checked, err := m.check(dir, info)
		if err != nil {
			return nil, err
		}
		pkg := &spec.Package{Path: checked.Path(), Name: checked.Name(), Dir: dir, Types: checked}
		m.names(pkg)
		for _, syntax := range m.in(dir, false) {
			f := &spec.File{Path: m.at(syntax.Package).File, Package: pkg, Constraint: constraint(syntax)}
			errs = append(errs, m.handlers(f, syntax, info, cfg)...)
			errs = append(errs, m.upserts(f, syntax, info, cfg)...)
			if len(f.Handlers) > 0 || len(f.Upserts) > 0 {
				s.Files = append(s.Files, f)
			}
		}
	}
	slices.SortFunc(s.Files, func(a, b *spec.File) int { return strings.Compare(a.Path, b.Path) })
	return s, append(errs, spec.Validate(s)...).Err()
}

func (m *memory) handlers(f *spec.File, syntax *ast.File, info *types.Info, cfg spec.Config) (errs spec.Errors) {
	for _, decl := range syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || len(directives(fn, m.at)) == 0 {
			continue
		}
		list := directives(fn, m.at)
		src := spec.Source{File: f, Func: info.Defs[fn.Name].(*types.Func), Declared: list[0].Pos, Directives: list, At: m.at}
		h, more := spec.NewHandler(src, cfg)
		f.Handlers = append(f.Handlers, h)
		errs = append(errs, more...)
	}
	return errs
}

func (m *memory) upserts(f *spec.File, syntax *ast.File, info *types.Info, cfg spec.Config) (errs spec.Errors) {
	for _, decl := range syntax.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE || len(directivesIn(group.Doc, m.at)) == 0 {
			continue
		}
		d := directivesIn(group.Doc, m.at)[0]
		t := info.Defs[group.Specs[0].(*ast.TypeSpec).Name].(*types.TypeName)
		src := spec.UpsertSource{File: f, Type: t, Declared: d.Pos, Args: spec.ParseUpsert(d), At: m.at, Dialects: cfg.Dialects}
		u, more := spec.NewUpsert(src)
		f.Upserts = append(f.Upserts, u)
		errs = append(errs, more...)
	}
	return errs
}

func directives(fn *ast.FuncDecl, at func(token.Pos) spec.Pos) []spec.Directive {
	return directivesIn(fn.Doc, at)
}

func directivesIn(doc *ast.CommentGroup, at func(token.Pos) spec.Pos) (list []spec.Directive) {
	if doc == nil {
		return nil
	}
	for _, c := range doc.List {
		if d, ok := ast.ParseDirective(c.Slash, c.Text); ok && d.Tool == "idem" {
			list = append(list, spec.Directive{Name: d.Name, Args: d.Args, Pos: at(d.Slash), ArgsPos: at(d.ArgsPos)})
		}
	}
	return list
}

func constraint(file *ast.File) string {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if expr, ok := strings.CutPrefix(c.Text, "//go:build "); ok && c.Pos() < file.Package {
				return expr
			}
		}
	}
	return ""
}

// names notes what a package declares and imports in any file, as package
// load does.
func (m *memory) names(pkg *spec.Package) {
	pkg.Names, pkg.Imported = map[string]spec.Pos{}, map[string]spec.Pos{}
	for _, f := range m.in(pkg.Dir, true) {
		for _, decl := range f.Decls {
			for _, id := range declaredBy(decl) {
				pkg.Names[id.Name] = m.at(id.Pos())
			}
		}
		for _, s := range f.Imports {
			for _, name := range m.importedBy(s) {
				pkg.Imported[name] = m.at(s.Pos())
			}
		}
	}
}

func declaredBy(decl ast.Decl) (list []*ast.Ident) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil && decl.Name.Name != "init" {
			list = append(list, decl.Name)
		}
	case *ast.GenDecl:
		for _, s := range decl.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				list = append(list, s.Name)
			case *ast.ValueSpec:
				list = append(list, s.Names...)
			}
		}
	}
	return slices.DeleteFunc(list, func(id *ast.Ident) bool { return id.Name == "_" })
}

func (m *memory) importedBy(s *ast.ImportSpec) []string {
	pkg, err := m.Import(strings.Trim(s.Path.Value, `"`))
	switch {
	case err != nil:
		return nil
	case s.Name == nil:
		return []string{pkg.Name()}
	case s.Name.Name == ".":
		return slices.DeleteFunc(pkg.Scope().Names(), func(name string) bool { return !token.IsExported(name) })
	}
	return []string{s.Name.Name}
}
