package load

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// strip takes from a file all but what it declares: the functions become
// empty, and the comments go.
func (f *file) strip() {
	for _, decl := range f.syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
			fn.Body = &ast.BlockStmt{Lbrace: fn.Body.Lbrace, Rbrace: fn.Body.Rbrace}
		}
	}
	if f.syntax.Comments == nil {
		return
	}
	f.syntax.Doc, f.syntax.Comments = nil, nil
	for n := range ast.Preorder(f.syntax) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			n.Doc = nil
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.ImportSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		}
	}
}

// prune removes the imports that nothing names in a file without bodies. The
// names of packages are asked for by import path, and are "" where they are
// not known.
func (f *file) prune(name func(importPath string) string) {
	used := f.qualifiers()
	unused := func(s *ast.ImportSpec) bool {
		path, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return false
		}
		as := name(path)
		if s.Name != nil {
			as = s.Name.Name
		}
		return as != "" && as != "." && !used[as]
	}
	f.syntax.Decls = slices.DeleteFunc(f.syntax.Decls, func(decl ast.Decl) bool {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			return false
		}
		d.Specs = slices.DeleteFunc(d.Specs, func(s ast.Spec) bool { return unused(s.(*ast.ImportSpec)) })
		return len(d.Specs) == 0
	})
	f.syntax.Imports = slices.DeleteFunc(f.syntax.Imports, unused)
}

// qualifiers returns the names that stand before a dot, outside of functions'
// bodies.
func (f *file) qualifiers() map[string]bool {
	used := map[string]bool{}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	return used
}
