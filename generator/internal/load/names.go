package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// names finds the names of a package's hand-written files, whether this build
// takes them or not: the output has to live with all.
func (r *typesRun) names(p *pkg, into *spec.Package) {
	into.Names, into.Imported = map[string]spec.Pos{}, map[string]spec.Pos{}
	for _, f := range p.beside {
		if f.syntax.Name == nil || f.syntax.Name.Name != p.Name {
			continue
		}
		f.declared(func(name string, at token.Pos) { note(into.Names, name, f.pos(at)) })
		for _, s := range f.syntax.Imports {
			for _, name := range r.importedNames(s) {
				note(into.Imported, name, f.pos(s.Pos()))
			}
		}
	}
}

// note keeps the first place of a name.
func note(names map[string]spec.Pos, name string, at spec.Pos) {
	if _, ok := names[name]; !ok && name != "_" {
		names[name] = at
	}
}

// declared tells the names that a file declares at package level, and the
// methods and fields of its types as T.Name.
func (f *file) declared(tell func(name string, at token.Pos)) {
	for _, decl := range f.syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			switch {
			case decl.Recv != nil && len(decl.Recv.List) == 1:
				tell(baseName(decl.Recv.List[0].Type)+"."+decl.Name.Name, decl.Name.Pos())
			case decl.Recv == nil && decl.Name.Name != "init":
				tell(decl.Name.Name, decl.Name.Pos())
			}
		case *ast.GenDecl:
			for _, s := range decl.Specs {
				declaredBy(s, tell)
			}
		}
	}
}

func declaredBy(s ast.Spec, tell func(name string, at token.Pos)) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		tell(s.Name.Name, s.Name.Pos())
		if t, ok := s.Type.(*ast.StructType); ok {
			for _, field := range t.Fields.List {
				fieldNames(field, func(id *ast.Ident) { tell(s.Name.Name+"."+id.Name, id.Pos()) })
			}
		}
	case *ast.ValueSpec:
		for _, id := range s.Names {
			tell(id.Name, id.Pos())
		}
	}
}

// fieldNames tells the names of a struct's field, which for an embedded one
// is that of its type.
func fieldNames(field *ast.Field, tell func(*ast.Ident)) {
	for _, id := range field.Names {
		tell(id)
	}
	if field.Names == nil {
		if id := baseIdent(field.Type); id != nil {
			tell(id)
		}
	}
}

// baseName returns the name of the type in a receiver.
func baseName(e ast.Expr) string {
	if id := baseIdent(e); id != nil {
		return id.Name
	}
	return "_"
}

// baseIdent returns the name in the expression of a type that may be a
// pointer, have type arguments, and come from a package.
func baseIdent(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return baseIdent(e.X)
	case *ast.StarExpr:
		return baseIdent(e.X)
	case *ast.IndexExpr:
		return baseIdent(e.X)
	case *ast.IndexListExpr:
		return baseIdent(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.Ident:
		return e
	}
	return nil
}

// importedNames returns the names that an import brings into its file. Where
// only a test or another build imports the package, its types are not at
// hand: it is then called as its path ends, and a dot import brings nothing.
func (r *typesRun) importedNames(s *ast.ImportSpec) []string {
	importPath, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		return nil
	}
	imported := r.known(importPath)
	switch {
	case s.Name == nil && imported != nil:
		return []string{imported.Name()}
	case s.Name == nil:
		return []string{path.Base(importPath)}
	case s.Name.Name != ".":
		return []string{s.Name.Name}
	case imported != nil:
		return exported(imported.Scope())
	}
	return nil
}

// known returns the types of a package that was looked at, or nil.
func (r *typesRun) known(importPath string) *types.Package {
	if t := r.done[importPath]; t != nil {
		return t
	}
	return r.exports.done(importPath)
}

func exported(scope *types.Scope) []string {
	var names []string
	for _, name := range scope.Names() {
		if token.IsExported(name) {
			names = append(names, name)
		}
	}
	return names
}
