package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// wantedType is a type that idemgen.yaml declares to be one of rows.
type wantedType struct {
	spec.UpsertDeclaration
	name funcName
	dir  string
}

func (w *wantedType) refuse(msg, cure string) *spec.Error {
	return &spec.Error{Pos: w.Type.Pos, Msg: msg, Cure: cure}
}

// typeDocs returns the types by their doc comments. In a group each has its
// own.
func (f *file) typeDocs() map[*ast.CommentGroup]*ast.TypeSpec {
	docs := map[*ast.CommentGroup]*ast.TypeSpec{}
	for t, doc := range f.types() {
		if doc != nil {
			docs[doc] = t
		}
	}
	return docs
}

// types goes through the types at the level of the package, with their doc
// comments, which may be nil.
func (f *file) types() func(yield func(*ast.TypeSpec, *ast.CommentGroup) bool) {
	return func(yield func(*ast.TypeSpec, *ast.CommentGroup) bool) {
		for _, decl := range f.syntax.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			for _, s := range group.Specs {
				t := s.(*ast.TypeSpec)
				doc := t.Doc
				if !group.Lparen.IsValid() {
					doc = group.Doc
				}
				if !yield(t, doc) {
					return
				}
			}
		}
	}
}

// ident is the name of what is annotated.
func (a *annotated) ident() *ast.Ident {
	if a.typ != nil {
		return a.typ.Name
	}
	return a.decl.Name
}

// typeWords put what is said of handlers' functions in terms of types.
var typeWords = strings.NewReplacer(
	"the handler", "the upsert", "a handler", "an upsert", "names no function", "names no type", "the name of the function", "the name of the type",
	"if it is in the root's package", "if it is in the root's package", "./jobs.Notify", "./jobs.Recipient", ".Notify", ".Recipient",
	"write a function of your own that calls it", "declare a type of your own")

// declareTypes finds the directories of the types that idemgen.yaml names.
func (l *loader) declareTypes() {
	l.wantedTypes = map[string][]*wantedType{}
	for _, d := range l.opts.Config.Upserts {
		at, wrong := l.locate(spec.Declaration{Func: d.Type.Text, FuncPos: d.Type.Pos})
		if wrong == nil && at.name.recv != "" {
			wrong = &spec.Error{Msg: fmt.Sprintf("%q names no type", d.Type.Text), Cure: funcCure}
		}
		if wrong != nil {
			l.errs.Add(d.Type.Pos, typeWords.Replace(wrong.Msg), typeWords.Replace(wrong.Cure))
			continue
		}
		l.wantedTypes[at.dir] = append(l.wantedTypes[at.dir], &wantedType{UpsertDeclaration: d, name: at.name, dir: at.dir})
		if l.funcs[at.dir] == nil {
			l.funcs[at.dir] = []*annotated{}
		}
	}
}

// declaredTypes gives a package the types that idemgen.yaml names in it.
func (l *loader) declaredTypes(p *pkg) {
	for _, w := range l.wantedTypes[p.dir] {
		a, wrong := l.chooseType(p, w)
		if wrong != nil {
			l.errs.Add(wrong.Pos, wrong.Msg, wrong.Cure)
			continue
		}
		a.declared, a.upsert = w.Pos, &w.Args
		p.handlers = append(p.handlers, a)
	}
}

// chooseType returns the type that this build has, or what keeps it from being
// one of rows.
func (l *loader) chooseType(p *pkg, w *wantedType) (*annotated, *spec.Error) {
	name := w.name.in(p.dir)
	if i := slices.IndexFunc(p.handlers, func(a *annotated) bool { return a.typ != nil && a.typ.Name.Name == w.name.name }); i >= 0 {
		return nil, w.refuse(fmt.Sprintf("%s has an upsert already, declared at %s", name, p.handlers[i].declared), "remove one of the two")
	}
	var names []string
	for _, f := range p.beside {
		for t := range f.types() {
			names = append(names, t.Name.Name)
			if t.Name.Name != w.name.name {
				continue
			}
			a := &annotated{file: f, typ: t}
			switch {
			case slices.Contains(p.files, f):
				return a, nil
			case f.isTest():
				return nil, w.refuse(fmt.Sprintf("%s stands in a test file, %s", name, a.at()), "move it to a file whose name does not end in _test.go")
			default:
				reason, cure := f.leftOut()
				return nil, w.refuse(fmt.Sprintf("%s stands in a file that this build leaves out, %s (%s)", name, a.at(), reason), cure)
			}
		}
	}
	cure := "declare the struct, or mend the name"
	if near := spec.Suggest(w.name.name, names); near != "" {
		cure = "did you mean " + funcName{name: near}.in(p.dir) + "?"
	}
	return nil, w.refuse("there is no type "+name, cure)
}

// specUpsert makes the upsert of a type.
func (r *typesRun) specUpsert(a *annotated, t *types.TypeName, into *spec.File) (*spec.Upsert, spec.Errors) {
	src := spec.UpsertSource{File: into, Type: t, Declared: a.declared, At: r.files.at, Dialects: r.opts.Config.Dialects}
	if a.upsert != nil {
		src.Args = *a.upsert
		return spec.NewUpsert(src)
	}
	for i, d := range a.directives {
		if i == 0 {
			src.Args = spec.ParseUpsert(d)
		} else {
			src.Again = append(src.Again, d.Pos)
		}
	}
	return spec.NewUpsert(src)
}

// impliedByCode returns the packages that the generated code imports, tests
// aside.
func (l *loader) impliedByCode() []string {
	if !l.hasUpserts() {
		return slices.Clone(implied)
	}
	const upsert = spec.RuntimePath + "/upsert"
	paths := append(slices.Clone(implied), "bytes", "cmp", "encoding/json", upsert)
	for _, d := range l.opts.Config.Dialects {
		switch d {
		case spec.Postgres:
			paths = append(paths, upsert+"/pgupsert")
		case spec.SQLite:
			paths = append(paths, upsert+"/sqliteupsert")
		}
	}
	return paths
}

func (l *loader) hasUpserts() bool {
	if len(l.wantedTypes) > 0 {
		return true
	}
	for _, list := range l.funcs {
		if slices.ContainsFunc(list, func(a *annotated) bool { return a.typ != nil }) {
			return true
		}
	}
	return false
}
