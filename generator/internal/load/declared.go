package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// wanted is a function that idemgen.yaml declares to be a handler.
type wanted struct {
	spec.Declaration
	name   funcName
	dir    string
	absent bool // no file has it
}

func (w *wanted) refuse(msg, cure string) *spec.Error {
	return &spec.Error{Pos: w.FuncPos, Msg: msg, Cure: cure}
}

// declare finds the directories of the functions that idemgen.yaml names. They
// are annotated, whether they have directives or not.
func (l *loader) declare() {
	l.wanted = map[string][]*wanted{}
	for _, d := range l.opts.Config.Handlers {
		w, wrong := l.locate(d)
		if wrong != nil {
			l.errs.Add(d.FuncPos, wrong.Msg, wrong.Cure)
			l.errs = append(l.errs, spec.CheckArguments(d.Directives)...)
			continue
		}
		l.wanted[w.dir] = append(l.wanted[w.dir], w)
		if l.funcs[w.dir] == nil {
			l.funcs[w.dir] = []*annotated{}
		}
	}
}

// declaredAt is the place of a handler in a directory.
func (l *loader) declaredAt(dir string) spec.Pos {
	if funcs := l.funcs[dir]; len(funcs) > 0 {
		return funcs[0].declared
	}
	if wanted := l.wanted[dir]; len(wanted) > 0 {
		return wanted[0].FuncPos
	}
	return l.wantedTypes[dir][0].Type.Pos
}

// declared gives a package the functions that idemgen.yaml names in it.
func (l *loader) declared(p *pkg) error {
	for _, w := range l.wanted[p.dir] {
		found, err := l.functions(p.dir, w.name)
		if err != nil {
			return err
		}
		a, wrong := l.choose(p, w, found)
		if wrong != nil {
			l.errs.Add(wrong.Pos, wrong.Msg, wrong.Cure)
		}
		if a == nil {
			l.errs = append(l.errs, spec.CheckArguments(w.Directives)...)
		} else {
			a.declared, a.directives = w.Pos, w.Directives
			p.handlers = append(p.handlers, a)
		}
	}
	slices.SortStableFunc(p.handlers, func(a, b *annotated) int { return cmp.Compare(a.ident().Pos(), b.ident().Pos()) })
	return nil
}

// functions returns the functions of a name in the hand-written files of a
// directory: there may be one for each build, and one for the tests.
func (l *loader) functions(dir string, name funcName) ([]*annotated, error) {
	var all []*annotated
	for _, path := range l.found.hand[dir] {
		f, err := l.files.read(path)
		if err != nil {
			return nil, err
		}
		for _, fn := range f.functions(name) {
			all = append(all, &annotated{file: f, decl: fn})
		}
	}
	return all, nil
}

// functions returns the functions of a name in a file.
func (f *file) functions(name funcName) []*ast.FuncDecl {
	var all []*ast.FuncDecl
	for _, decl := range f.syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == name.name && receiver(fn) == name.recv {
			all = append(all, fn)
		}
	}
	return all
}

// receiver returns the name of the type that a method belongs to.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return ""
	}
	return baseName(fn.Recv.List[0].Type)
}

func pointerReceiver(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return false
	}
	_, ok := ast.Unparen(fn.Recv.List[0].Type).(*ast.StarExpr)
	return ok
}

// choose returns the function that this build has, or what keeps it from
// being a handler. Where no file has it, the types will tell why.
func (l *loader) choose(p *pkg, w *wanted, found []*annotated) (*annotated, *spec.Error) {
	var here, elsewhere, tests []*annotated
	for _, a := range found {
		switch {
		case slices.Contains(p.files, a.file):
			here = append(here, a)
		case a.file.isTest():
			tests = append(tests, a)
		default:
			elsewhere = append(elsewhere, a)
		}
	}
	name := w.name.in(p.dir)
	switch {
	case len(here) > 0:
		return l.fit(p, w, here[0], elsewhere)
	case len(elsewhere) > 0:
		reason, cure := elsewhere[0].file.leftOut()
		return nil, w.refuse(fmt.Sprintf("%s stands in a file that this build leaves out, %s (%s)", name, elsewhere[0].at(), reason), cure)
	case len(tests) > 0:
		return nil, w.refuse(fmt.Sprintf("%s stands in a test file, %s", name, tests[0].at()), "move it to a file whose name does not end in _test.go")
	}
	w.absent = true
	return nil, nil
}

// at is the place of the name.
func (a *annotated) at() spec.Pos { return a.file.pos(a.ident().Pos()) }

// fit checks what the entry says of a function that is there.
func (l *loader) fit(p *pkg, w *wanted, a *annotated, elsewhere []*annotated) (*annotated, *spec.Error) {
	name, pointer := w.name.in(p.dir), pointerReceiver(a.decl)
	if twice := slices.IndexFunc(p.handlers, func(b *annotated) bool { return b.decl == a.decl }); twice >= 0 {
		return nil, w.twice(name, p.handlers[twice])
	}
	if generic(a.decl) {
		return nil, w.refuse(fmt.Sprintf("%s at %s has type parameters, and runs of one type would answer duplicates of another", name, a.at()), genericCure)
	}
	for _, other := range elsewhere {
		if other.file.syntax.Name.Name == p.Name {
			return nil, w.refuse(fmt.Sprintf("%s is there for another build, too, at %s", name, other.at()),
				"declare the handler in a file that every build takes, and call from it what differs between builds")
		}
	}
	if w.name.exact && pointer != w.name.pointer {
		msg := fmt.Sprintf("the receiver of %s at %s is no pointer", name, a.at())
		if pointer {
			msg = fmt.Sprintf("the receiver of %s at %s is a pointer", name, a.at())
		}
		return a, w.refuse(msg, "write "+spelled(p.dir, w.name.recv, pointer, w.name.name))
	}
	return a, nil
}

// generic reports whether a function or its receiver has type parameters.
func generic(fn *ast.FuncDecl) bool {
	if fn.Type.TypeParams != nil {
		return true
	}
	if receiver(fn) == "" {
		return false
	}
	t := ast.Unparen(fn.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(star.X)
	}
	switch t.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}
