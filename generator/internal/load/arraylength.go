package load

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// arrayLengths reports the arrays in a handler's signature whose length another
// build may see otherwise: the output writes them as the number that this
// build has.
func (r *typesRun) arrayLengths(a *annotated, in *types.Package) (errs spec.Errors) {
	for n := range ast.Preorder(a.decl.Type) {
		array, ok := n.(*ast.ArrayType)
		if !ok || array.Len == nil {
			continue
		}
		f := &lengthFinder{typesRun: r, constraint: a.file.constraint(), seen: map[types.Object]bool{}}
		if by := f.variable(a.file, in, array.Len); by != "" {
			errs.Add(a.file.pos(array.Len.Pos()), fmt.Sprintf("the length of this array depends on the build, by %s, and the generated code would have that of this one", by),
				"declare a type for the array, such as type ID [N]byte, and use that")
		}
	}
	return errs
}

// lengthFinder looks for what differs between builds.
type lengthFinder struct {
	*typesRun
	constraint string // of the handler's file, which its output has, too
	seen       map[types.Object]bool
}

// variable returns what in an expression differs between builds, or "".
func (l *lengthFinder) variable(f *file, in *types.Package, e ast.Expr) (by string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && by == "" {
				by = l.selected(f, id.Name, n.Sel.Name)
			}
			return false
		case *ast.Ident:
			switch obj := in.Scope().Lookup(n.Name); {
			case by != "":
			case obj != nil:
				by = l.constant(obj)
			case n.Name == "uint" || n.Name == "uintptr":
				by = "the size of " + n.Name
			default: // a compiled package shows what it exports alone
				by = l.variableOf(f, in, n.Name)
			}
		}
		return by == ""
	})
	return by
}

// selected is variable of a name in an imported package.
func (l *lengthFinder) selected(f *file, qualifier, name string) (by string) {
	f.eachImport(func(path string, _ token.Pos) {
		pkg := l.known(path)
		switch {
		case (path == "unsafe" || path == "strconv") && f.calls(path, path) == qualifier:
			by = path + "." + name // strconv has one constant, and that from a package that is not known here
		case pkg != nil && by == "" && f.calls(path, pkg.Name()) == qualifier:
			if obj := pkg.Scope().Lookup(name); obj != nil {
				by = l.constant(obj)
			}
		}
	})
	return by
}

// calls returns the name by which a file calls a package.
func (f *file) calls(path, name string) string {
	for _, s := range f.syntax.Imports {
		if s.Path.Value == `"`+path+`"` && s.Name != nil {
			return s.Name.Name
		}
	}
	return name
}

// constant is variable of a constant, by the file that declares it. One that
// cannot be read is taken for what most are.
func (l *lengthFinder) constant(obj types.Object) string {
	if _, ok := obj.(*types.Const); !ok || l.seen[obj] {
		return ""
	}
	l.seen[obj] = true
	name := l.files.at(obj.Pos()).File
	if std, ok := strings.CutPrefix(name, "$GOROOT/"); ok {
		name = filepath.Join(build.Default.GOROOT, std)
	}
	data, err := os.ReadFile(l.files.absolute(name))
	if err != nil {
		return ""
	}
	f := l.files.parse(name, data, parser.ParseComments)
	if c := f.constraint(); c != "" && c != l.constraint {
		return fmt.Sprintf("%s in a file for %s", obj.Name(), c)
	}
	return l.variableOf(f, obj.Pkg(), obj.Name())
}

// variableOf is variable of a constant that a file declares.
func (l *lengthFinder) variableOf(f *file, in *types.Package, name string) string {
	for _, value := range f.valuesOf(name) {
		if l.variable(f, in, value) != "" {
			return name
		}
	}
	return ""
}

// valuesOf returns what a constant of the file may be made of: the values of
// its line, or of the line that it repeats.
func (f *file) valuesOf(name string) []ast.Expr {
	for _, decl := range f.syntax.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		var values []ast.Expr
		for _, s := range d.Specs {
			s := s.(*ast.ValueSpec)
			if s.Values != nil {
				values = s.Values
			}
			for _, id := range s.Names {
				if id.Name == name {
					return values
				}
			}
		}
	}
	return nil
}
