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
	l.exports.read(l.files.fset, slices.Concat(l.graph.imports(false), l.graph.imports(true)))
	run := l.newTypesRun(nil, nil)
	l.run = run
	judge := l.unexpected()
	wrong := run.all(func(c *checked) { run.checkSource(c, judge) })
	l.errs = append(l.errs, wrong...)
	run.told = wrong != nil || l.exports.reported() || slices.ContainsFunc(l.graph.source, func(p *pkg) bool { return p.reported })
	for _, p := range l.graph.source {
		run.specFiles(run.checked[p.ImportPath])
	}
	slices.SortFunc(l.spec.Files, func(a, b *spec.File) int { return strings.Compare(a.Path, b.Path) })
	l.errs = append(l.errs, spec.Validate(l.spec)...)
	l.unsaid()
	return nil
}

// syntaxErrors reports whether a package does not parse: its types would be
// anybody's guess.
func (l *loader) syntaxErrors() bool {
	return slices.ContainsFunc(l.graph.source, func(p *pkg) bool {
		return slices.ContainsFunc(p.files, func(f *file) bool { return f.errs != nil })
	})
}

// specFiles adds a package's files that have handlers. From then on nobody
// needs more of the files than what they declare.
func (r *typesRun) specFiles(c *checked) {
	r.absences(c.pkg)
	if c.handlers != nil {
		into := &spec.Package{Path: c.ImportPath, Name: c.Name, Dir: c.dir, Types: r.done[c.ImportPath]}
		r.names(c.pkg, into)
		for _, f := range c.files {
			r.specFile(f, into, c)
		}
	}
	for _, f := range slices.Concat(c.files, c.beside) {
		f.strip()
		f.data = nil
	}
	c.defs = nil
}

// specFile adds a file if it has handlers. One that is wrong is added too,
// so that Validate sees all.
func (r *typesRun) specFile(f *file, in *spec.Package, c *checked) {
	into := &spec.File{Path: f.path, Package: in, Constraint: f.constraint()}
	for _, a := range c.handlers {
		if a.file != f {
			continue
		}
		if t, ok := c.defs[a.ident()].(*types.TypeName); ok {
			u, errs := r.specUpsert(a, t, into)
			r.errs = append(r.errs, r.withoutEchoes(errs, c.pkg)...)
			into.Upserts = append(into.Upserts, u)
		}
		fn, ok := c.defs[a.ident()].(*types.Func)
		if !ok {
			continue
		}
		h, errs := spec.NewHandler(spec.Source{File: into, Func: fn, Declared: a.declared, Directives: a.directives, At: r.files.at}, r.opts.Config)
		r.errs = append(r.errs, r.withoutEchoes(errs, c.pkg)...)
		r.errs = append(r.errs, r.arrayLengths(a, in.Types)...)
		into.Handlers = append(into.Handlers, h)
	}
	if into.Handlers != nil || into.Upserts != nil {
		r.spec.Files = append(r.spec.Files, into)
	}
}

// invalidTypeCure marks the errors of package spec about types that do not
// compile.
const invalidTypeCure = "mend the type first"

// withoutEchoes leaves out what the type-checker has said better. Where it
// has said nothing, a type of package C is the cause.
func (r *typesRun) withoutEchoes(errs spec.Errors, p *pkg) spec.Errors {
	return slices.DeleteFunc(errs, func(err *spec.Error) bool {
		if err.Cure != invalidTypeCure {
			return false
		}
		if p.CgoFiles != nil {
			err.Cure = "use a Go type: those of package C are not known here"
		}
		return r.told
	})
}
