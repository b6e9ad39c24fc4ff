package load

import (
	"go/types"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// types checks the packages and makes the handlers of their functions.
func (l *loader) types() error {
	l.spec = &spec.Spec{Config: l.opts.Config}
	if l.syntaxErrors() {
		return nil
	}
	run := l.newTypesRun(nil, l.unexpected())
	run.all()
	l.errs = append(l.errs, run.wrong...)
	for _, p := range l.graph.source {
		if err := l.specFiles(p, run); err != nil {
			return err
		}
	}
	slices.SortFunc(l.spec.Files, func(a, b *spec.File) int { return strings.Compare(a.Path, b.Path) })
	l.errs = append(l.errs, spec.Validate(l.spec)...)
	return nil
}

// syntaxErrors reports whether a package does not parse: its types would be
// anybody's guess.
func (l *loader) syntaxErrors() bool {
	return slices.ContainsFunc(l.graph.source, func(p *pkg) bool {
		return slices.ContainsFunc(p.files, func(f *file) bool { return f.errs != nil })
	})
}

// specFiles adds a package's files that have handlers.
func (l *loader) specFiles(p *pkg, run *typesRun) error {
	if p.handlers == nil {
		return nil
	}
	into := &spec.Package{Path: p.ImportPath, Name: p.Name, Dir: p.dir, Types: run.done[p.ImportPath]}
	if err := run.names(p, into); err != nil {
		return err
	}
	for _, f := range p.files {
		run.specFile(f, into, p)
	}
	return nil
}

// specFile adds a file if it has handlers. One that is wrong is added too,
// so that Validate sees all.
func (r *typesRun) specFile(f *file, in *spec.Package, p *pkg) {
	into := &spec.File{Path: f.path, Package: in, Constraint: f.constraint()}
	for _, a := range p.handlers {
		fn, ok := r.defs[a.decl.Name].(*types.Func)
		if a.file != f || !ok {
			continue
		}
		h, errs := spec.NewHandler(spec.Source{File: into, Func: fn, Declared: a.directives[0].Pos, Directives: a.directives, At: r.files.at}, r.opts.Config)
		r.errs = append(r.errs, r.withoutEchoes(errs, p)...)
		into.Handlers = append(into.Handlers, h)
	}
	if into.Handlers != nil {
		r.spec.Files = append(r.spec.Files, into)
	}
}

// invalidTypeCure marks the errors of package spec about types that do not
// compile.
const invalidTypeCure = "mend the type first"

// withoutEchoes leaves out what the type-checker has said better. Where it
// has said nothing, a type of package C is the cause.
func (r *typesRun) withoutEchoes(errs spec.Errors, p *pkg) spec.Errors {
	told := r.wrong != nil || r.exports.reported()
	return slices.DeleteFunc(errs, func(err *spec.Error) bool {
		if err.Cure != invalidTypeCure {
			return false
		}
		if p.CgoFiles != nil {
			err.Cure = "use a Go type: those of package C are not known here"
		}
		return told
	})
}
