package load

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// arrayLengths reports the arrays in a handler's signature whose length another
// build may see otherwise: the output writes them as the number that this
// build has.
func (r *typesRun) arrayLengths(a *annotated, in *types.Package) (errs spec.Errors) {
	if a.decl == nil {
		return nil
	}
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
		if by != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && l.fixedSize(in, sel, n.Args) {
				return false
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				by = l.selected(f, id.Name, n.Sel.Name)
			}
			return false
		case *ast.UnaryExpr:
			if name := wordIn(in, n.X); n.Op == token.XOR && name != "" {
				by = "the size of " + name
			}
		case *ast.Ident:
			if obj := in.Scope().Lookup(n.Name); obj != nil {
				by = l.constant(obj)
			} else { // a compiled package shows what it exports alone
				by = l.variableOf(f, in, n.Name)
			}
		}
		return by == ""
	})
	return by
}

// wordIn returns the unsigned type of the machine's words that an operand has,
// or "": of all operators, ^ alone gives another number where a word is longer.
func wordIn(in *types.Package, operand ast.Expr) string {
	operand = ast.Unparen(operand)
	if call, ok := operand.(*ast.CallExpr); ok {
		operand = call.Fun
	}
	id, ok := operand.(*ast.Ident)
	if !ok {
		return ""
	}
	_, obj := in.Scope().LookupParent(id.Name, token.NoPos)
	if obj == nil {
		return ""
	}
	basic, _ := obj.Type().Underlying().(*types.Basic)
	if basic == nil || basic.Kind() != types.Uint && basic.Kind() != types.Uintptr {
		return ""
	}
	return basic.Name()
}

// fixedSize reports whether a call is unsafe.Sizeof of what has the same size
// where words have 4 bytes, and where they have 8. What cannot be told is not.
func (l *lengthFinder) fixedSize(in *types.Package, fun *ast.SelectorExpr, args []ast.Expr) bool {
	if fun.Sel.Name != "Sizeof" || len(args) != 1 {
		return false
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(l.files.fset, in, fun.Pos(), args[0], info); err != nil {
		return false
	}
	t := info.Types[args[0]].Type
	return types.SizesFor("gc", "386").Sizeof(t) == types.SizesFor("gc", "amd64").Sizeof(t)
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
	if c := f.constraint(); c != "" && c != l.constraint && (f.ofMachines() || l.otherwise(f, obj.Name())) {
		return fmt.Sprintf("%s in a file for %s", obj.Name(), c)
	}
	return l.variableOf(f, obj.Pkg(), obj.Name())
}

// ofMachines reports whether a file is for some systems or processors only:
// what it declares is theirs.
func (f *file) ofMachines() (some bool) {
	for _, c := range f.conditions() {
		if c.expr != nil {
			c.expr.Eval(func(tag string) bool {
				some = some || tag == "unix" || isOS(tag) || isArch(tag)
				return true
			})
		}
	}
	return some
}

// otherwise reports whether a file beside this one gives a constant another
// value.
func (l *lengthFinder) otherwise(f *file, name string) bool {
	dir := filepath.Dir(l.files.absolute(f.path))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	own := f.valueOf(name)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if !isGoFile(e.Name()) || err != nil {
			return false
		}
		other := l.files.parse(path.Join(path.Dir(f.path), e.Name()), data, 0).valueOf(name)
		return own != nil && other != nil && types.ExprString(own) != types.ExprString(other)
	})
}

// variableOf is variable of a constant that a file declares.
func (l *lengthFinder) variableOf(f *file, in *types.Package, name string) string {
	if value := f.valueOf(name); value != nil && l.variable(f, in, value) != "" {
		return name
	}
	return ""
}

// valueOf returns what a constant of the file is made of, or nil: the value in
// its line, or in the line that it repeats.
func (f *file) valueOf(name string) ast.Expr {
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
			for i, id := range s.Names {
				if id.Name == name && i < len(values) {
					return values[i]
				}
			}
		}
	}
	return nil
}
