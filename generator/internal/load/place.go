package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

const (
	moveCure     = "move it directly above a function or a method"
	moveTypeCure = "move it directly above a struct type at the level of the package"
)

// misplaced says where a directive stands that is above nothing that it is for,
// and how to mend it.
func (f *file) misplaced(c *ast.Comment, onType bool) (msg, cure string) {
	msg, cure = f.misplacedFunc(c)
	if fn, ok := f.declAt(c).(*ast.FuncDecl); ok && onType && fn.Doc != nil && fn.Doc.Pos() <= c.Pos() && c.Pos() < fn.Doc.End() && !f.isTest() {
		msg, cure = "stands above "+fn.Name.Name+", which is a function", moveTypeCure
	}
	if onType {
		cure = strings.NewReplacer(moveCure, moveTypeCure, "with the function", "with the type").Replace(cure)
	}
	if strings.HasPrefix(msg, "stands above a type") && onType {
		return misplacedType(f.declAt(c).(*ast.GenDecl))
	}
	return msg, cure
}

// misplacedType is about a directive for types above a declaration of some.
func misplacedType(decl *ast.GenDecl) (msg, cure string) {
	if decl.Lparen.IsValid() {
		return "stands above a group of types", "move it directly above the one in the group whose fields are the columns"
	}
	return fmt.Sprintf("is detached from %s by a blank line", decl.Specs[0].(*ast.TypeSpec).Name.Name), "remove the blank line"
}

func (f *file) misplacedFunc(c *ast.Comment) (msg, cure string) {
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
