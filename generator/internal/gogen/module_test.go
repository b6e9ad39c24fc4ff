package gogen_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// module is a module in a temporary directory.
type module struct {
	dir  string
	pkgs []*packages.Package
}

// newModule makes a module that requires ours, from the working copy, and
// whatever ours requires.
func newModule(t *testing.T) *module {
	t.Helper()
	m := &module{dir: t.TempDir()}
	root, err := filepath.Abs(repo)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(repo + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(repo + "/go.sum")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(own), "module github.com/idemgen/idemgen", "module example.com", 1)
	text += "\nrequire github.com/idemgen/idemgen v0.0.0\n\nreplace github.com/idemgen/idemgen => " + root + "\n"
	m.write(t, "go.mod", []byte(text))
	m.write(t, "go.sum", sums)
	return m
}

func (m *module) write(t *testing.T, name string, data []byte) {
	t.Helper()
	file := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func env() []string {
	return append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"), "GOPROXY=off", "GOWORK=off")
}

func (m *module) goCmd(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = m.dir, env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// load type-checks all packages of the module.
func (m *module) load(t *testing.T) {
	t.Helper()
	cfg := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
			packages.NeedImports | packages.NeedDeps,
		Dir: m.dir, Env: env(), BuildFlags: []string{"-tags=special"},
	}
	pkgs, err := packages.Load(cfg, "./...")
	if err != nil {
		t.Fatal(err)
	}
	m.pkgs = pkgs
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			t.Fatalf("%s: %v", pkg.PkgPath, err)
		}
	}
}

// spec makes the model of one case.
func (m *module) spec(t *testing.T, name string, cfg spec.Config) *spec.Spec {
	t.Helper()
	s := &spec.Spec{Config: cfg}
	for _, pkg := range m.pkgs {
		if pkg.PkgPath != "example.com/"+name && !strings.HasPrefix(pkg.PkgPath, "example.com/"+name+"/") {
			continue
		}
		s.Files = append(s.Files, m.files(t, name, pkg, cfg)...)
	}
	slices.SortFunc(s.Files, func(a, b *spec.File) int { return strings.Compare(a.Path, b.Path) })
	if err := spec.Validate(s).Err(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (m *module) files(t *testing.T, name string, pkg *packages.Package, cfg spec.Config) []*spec.File {
	t.Helper()
	rel := func(file string) string {
		r, err := filepath.Rel(filepath.Join(m.dir, name), file)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(r)
	}
	at := func(pos token.Pos) spec.Pos {
		p := pkg.Fset.PositionFor(pos, false)
		return spec.Pos{File: rel(p.Filename), Line: p.Line, Col: p.Column}
	}
	p := &spec.Package{Path: pkg.PkgPath, Name: pkg.Name, Dir: path.Dir(rel(pkg.GoFiles[0])), Types: pkg.Types, Names: map[string]spec.Pos{}}
	for _, name := range pkg.Types.Scope().Names() {
		p.Names[name] = at(pkg.Types.Scope().Lookup(name).Pos())
	}
	var files []*spec.File
	for _, syntax := range pkg.Syntax {
		f := &spec.File{Path: at(syntax.Package).File, Package: p, Constraint: constraint(syntax)}
		for _, decl := range syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || len(directives(fn, at)) == 0 {
				continue
			}
			h, errs := spec.NewHandler(spec.Source{File: f, Func: pkg.TypesInfo.Defs[fn.Name].(*types.Func), Directives: directives(fn, at), At: at}, cfg)
			if err := errs.Err(); err != nil {
				t.Fatal(err)
			}
			f.Handlers = append(f.Handlers, h)
		}
		if len(f.Handlers) > 0 {
			files = append(files, f)
		}
	}
	return files
}

func directives(fn *ast.FuncDecl, at func(token.Pos) spec.Pos) (list []spec.Directive) {
	if fn.Doc == nil {
		return nil
	}
	for _, c := range fn.Doc.List {
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

// uncommentExamples does what the fixtures of some cases ask the developer to
// do, and compiles them.
func (m *module) uncommentExamples(t *testing.T, cases ...string) {
	t.Helper()
	var patterns []string
	for _, name := range cases {
		patterns = append(patterns, "./"+name+"/...")
		files, _ := filepath.Glob(filepath.Join(m.dir, name, "*_fixture_test.go"))
		inJobs, _ := filepath.Glob(filepath.Join(m.dir, name, "jobs", "*_fixture_test.go"))
		for _, file := range append(files, inJobs...) {
			m.uncomment(t, file)
		}
	}
	m.goCmd(t, append([]string{"vet", "-tags=special"}, patterns...)...)
}

func (m *module) uncomment(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "\t//\t", "\t")
	text = strings.ReplaceAll(text, "\t}\n\treturn nil\n", "\t}\n")
	if !strings.Contains(text, " context.Context, ") || strings.Contains(text, "return nil") {
		t.Fatalf("%s has no example:\n%s", file, data)
	}
	if !strings.Contains(text, `"context"`) {
		text = strings.Replace(text, "import (", "import (\n\t\"context\"", 1)
	}
	if strings.Contains(text, "idem.KeyFromContext") {
		text = strings.Replace(text, "import (", "import (\n\tidem \"github.com/idemgen/idemgen/runtime\"", 1)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
