package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
)

const moveCure = "move it directly above a function or a method"

// misplaced says where a directive stands that is above no function, and how
// to mend it.
func (f *file) misplaced(c *ast.Comment) (msg, cure string) {
	if f.isTest() {
		return "stands in a test file", "move it, with the function, to a file whose name does not end in _test.go"
	}
	if f.followsCode(c) {
		return "stands after code on the same line", moveCure
	}
	if c.Pos() < f.syntax.Package {
		return "stands above the package clause", moveCure
	}
	next := f.declAt(c)
	if next == nil {
		return "stands above nothing", moveCure
	}
	fn, ok := next.(*ast.FuncDecl)
	switch {
	case !ok:
		return inDecl(next.(*ast.GenDecl), c)
	case c.Pos() > fn.Pos():
		return "stands inside " + fn.Name.Name, moveCure
	}
	return fmt.Sprintf("is detached from %s by a blank line", fn.Name.Name), "remove the blank line"
}

// followsCode reports whether there is more than space before a comment in
// its line.
func (f *file) followsCode(c *ast.Comment) bool {
	at := f.tokens.Offset(c.Slash)
	start := bytes.LastIndexByte(f.data[:at], '\n') + 1
	return len(bytes.TrimSpace(bytes.TrimPrefix(f.data[start:at], []byte("\ufeff")))) > 0
}

// declAt returns the declaration that a comment is in or above, or nil.
func (f *file) declAt(c *ast.Comment) ast.Decl {
	for _, decl := range f.syntax.Decls {
		if decl.End() > c.Pos() {
			return decl
		}
	}
	return nil
}

// inDecl says where in or above a declaration other than a function's a
// directive stands.
func inDecl(decl *ast.GenDecl, c *ast.Comment) (msg, cure string) {
	where := "above"
	if c.Pos() > decl.Pos() {
		where = "inside"
	}
	for n := range ast.Preorder(decl) {
		if n.Pos() > c.Pos() || n.End() <= c.Pos() {
			continue
		}
		switch n.(type) {
		case *ast.InterfaceType:
			return "stands on a method of an interface", "move it directly above the method that does the work"
		case *ast.StructType:
			return "stands on a field of a struct", moveCure
		}
	}
	return fmt.Sprintf("stands %s %s declaration", where, article(decl.Tok)), moveCure
}

func article(tok token.Token) string {
	if tok == token.IMPORT {
		return "an import"
	}
	return "a " + tok.String()
}
