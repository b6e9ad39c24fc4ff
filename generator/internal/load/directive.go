package load

import (
	"go/ast"
	"go/scanner"
	"go/token"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// annotated is a function, or a type, with directives above it or in
// idemgen.yaml.
type annotated struct {
	file       *file
	decl       *ast.FuncDecl // nil for a type
	typ        *ast.TypeSpec // nil for a function
	declared   spec.Pos      // where the first directive stands, or the entry in idemgen.yaml
	directives []spec.Directive
	upsert     *spec.UpsertArgs // of a type in idemgen.yaml
}

// directives returns the functions of a file that have directives, and what
// is wrong with all other directives there.
func (f *file) directives() ([]*annotated, spec.Errors) {
	if f.errs != nil {
		return nil, f.brokenDirectives()
	}
	var funcs []*annotated
	var errs spec.Errors
	docs, types := f.docs(), f.typeDocs()
	for _, group := range f.syntax.Comments {
		a := &annotated{file: f, decl: docs[group], typ: types[group]}
		if a.decl != nil || a.typ != nil {
			errs = append(errs, f.nearMisses(group, a.typ != nil)...)
		}
		for _, c := range group.List {
			d, ok := f.directive(c)
			switch {
			case !ok:
			case a.decl == nil && a.typ == nil || (a.typ != nil) != spec.OnType(d.Name) || f.isTest():
				msg, cure := f.misplaced(c, spec.OnType(d.Name))
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

// nearMisses reports what was meant as a directive in the doc comment of a
// function, or of a type.
func (f *file) nearMisses(doc *ast.CommentGroup, onType bool) (errs spec.Errors) {
	texts := make([]string, len(doc.List))
	for i, c := range doc.List {
		texts[i] = c.Text
	}
	for _, near := range spec.NearMisses(texts, onType) {
		pos := f.pos(doc.List[near.Comment].Slash)
		if near.Line > 0 {
			pos.Line, pos.Col = pos.Line+near.Line, near.Col+1
		}
		errs.Add(pos, near.Text+" is not a directive", near.Cure)
	}
	return errs
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
		near := spec.NearMisses([]string{lit}, false)
		if d, ok := ast.ParseDirective(1, lit); near != nil || ok && d.Tool == "idem" {
			return f.errs
		}
	}
}
