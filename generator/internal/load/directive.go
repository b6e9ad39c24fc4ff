package load

import (
	"go/ast"
	"go/scanner"
	"go/token"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// annotated is a function with directives above it, or in idemgen.yaml.
type annotated struct {
	file       *file
	decl       *ast.FuncDecl
	declared   spec.Pos // where the first directive stands, or the entry in idemgen.yaml
	directives []spec.Directive
}

// directives returns the functions of a file that have directives, and what
// is wrong with all other directives there.
func (f *file) directives() ([]*annotated, spec.Errors) {
	if f.errs != nil {
		return nil, f.brokenDirectives()
	}
	var funcs []*annotated
	var errs spec.Errors
	docs := f.docs()
	for _, group := range f.syntax.Comments {
		decl := docs[group]
		a := &annotated{file: f, decl: decl}
		for _, c := range group.List {
			d, ok := f.directive(c)
			switch {
			case !ok:
				f.nearMiss(&errs, c.Slash, c.Text)
			case decl == nil || f.isTest():
				msg, cure := f.misplaced(c)
				errs.Add(d.Pos, "//idem:"+d.Name+" "+msg, cure)
			default:
				a.directives = append(a.directives, d)
			}
		}
		if a.directives != nil {
			a.declared = a.directives[0].Pos
			funcs = append(funcs, a)
		}
	}
	return funcs, errs
}

// docs returns the functions by their doc comments.
func (f *file) docs() map[*ast.CommentGroup]*ast.FuncDecl {
	docs := map[*ast.CommentGroup]*ast.FuncDecl{}
	for _, decl := range f.syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Doc != nil {
			docs[fn.Doc] = fn
		}
	}
	return docs
}

func (f *file) directive(c *ast.Comment) (spec.Directive, bool) {
	d, ok := ast.ParseDirective(c.Slash, c.Text)
	if !ok || d.Tool != "idem" {
		return spec.Directive{}, false
	}
	return spec.Directive{Name: d.Name, Args: d.Args, Pos: f.pos(d.Slash), ArgsPos: f.pos(d.ArgsPos)}, true
}

func (f *file) nearMiss(errs *spec.Errors, at token.Pos, comment string) {
	near, ok := spec.NearMiss(comment)
	if !ok {
		return
	}
	pos := f.pos(at)
	if near.Line > 0 {
		pos.Line, pos.Col = pos.Line+near.Line, near.Col+1
	}
	errs.Add(pos, near.Text+" is not a directive", near.Cure)
}

// brokenDirectives returns the syntax errors of a file that does not parse,
// if there is a directive in it.
func (f *file) brokenDirectives() spec.Errors {
	var s scanner.Scanner
	tokens := token.NewFileSet().AddFile(f.path, -1, len(f.data))
	s.Init(tokens, f.data, nil, scanner.ScanComments)
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return nil
		}
		if tok != token.COMMENT {
			continue
		}
		_, near := spec.NearMiss(lit)
		if d, ok := ast.ParseDirective(1, lit); near || ok && d.Tool == "idem" {
			return f.errs
		}
	}
}
