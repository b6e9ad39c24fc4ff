package gogen

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// specsTasks writes, for every package with handlers, the list of their specs.
func specsTasks(files []*spec.File) []task {
	var tasks []task
	for _, ofPackage := range byPackage(files) {
		var handlers []*spec.Handler
		for _, f := range ofPackage {
			handlers = append(handlers, f.Handlers...)
		}
		if handlers != nil {
			tasks = append(tasks, task{handlers[0].File, specsOf(handlers)})
		}
	}
	return tasks
}

// specsOf returns the emitter of a package's specs. It is one file for every
// build, since the runs of a handler that another build leaves out have to be
// purged as well.
func specsOf(handlers []*spec.Handler) emitter {
	return func(src *spec.File, names *declarations) (File, error) {
		pkg := names.packages[src.Package.Path]
		out := &output{pkg: pkg, imports: newImports(pkg, []wish{{path: runtimePath, name: "idem"}, {path: "time", name: "time"}}, nil)}
		name := path.Join(src.Package.Dir, spec.SpecsFile)
		source, _ := spec.SourceOf(name)
		return out.render(name, Header(source), "", []jen.Code{out.specsDecl(handlers, names)})
	}
}

// specsDecl declares the list.
func (o *output) specsDecl(handlers []*spec.Handler, names *declarations) jen.Code {
	typ := "[]" + o.imports.of(runtimePath) + ".Spec"
	var items []string
	for _, h := range handlers {
		item := names.of[h].spec
		if h.File.Constraint != "" {
			item = "{" + strings.Join(specFields(h, o.imports.of("time")), ", ") + "}"
		}
		items = append(items, item)
	}
	// IdemSpecs says how the runs of all handlers of this package are held ...
	decl := above("%s says how the runs of all handlers of this package are held, for idem.Maintain and idem.HealthOf.", o.pkg.specs)
	// func IdemSpecs() []idem.Spec {
	//	return []idem.Spec{notifySpec, chargeSpec}
	// }
	return decl.Add(signature("func", "", o.pkg.specs, nil, typ)).Block(
		jen.Return(jen.Id(typ).Add(literal("\treturn "+typ, items))),
	)
}

// specDecl declares how the runs are held.
func (w *wrapper) specDecl() jen.Code {
	clock := w.out.imports.of("time")
	typ := w.out.imports.of(runtimePath) + ".Spec"
	fields := specFields(w.Handler, clock)
	// notifySpec says how runs of Notify are held.
	decl := above("%s says how runs of %s are held.", w.spec, w.title())
	// var notifySpec = idem.Spec{Handler: "notify", Lease: 2 * time.Minute, Attempts: 20}
	return decl.Var().Id(w.spec).Op("=").Id(typ).Add(literal("var "+w.spec+" = "+typ, fields))
}

// specFields writes how a handler's runs are held; clock is the name of package
// time.
func specFields(h *spec.Handler, clock string) []string {
	fields := []string{
		"Handler: " + strconv.Quote(h.Namespace),
		"Lease: " + duration(h.Lease, clock),
		"Attempts: " + strconv.Itoa(h.Attempts),
	}
	if h.Retain != 0 {
		fields = append(fields, "Retain: "+duration(h.Retain, clock))
	}
	if h.Order != nil {
		fields = append(fields, "Ordered: true")
	}
	return fields
}

// takeSpecs allocates the name of the list, in a package that has one.
func (p *packageScope) takeSpecs(files []*spec.File) {
	if slices.ContainsFunc(files, func(f *spec.File) bool { return f.Handlers != nil }) {
		p.specs = p.take(spec.SpecsFunc, nobodys)
	}
}
