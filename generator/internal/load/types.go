package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/types"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/parallel"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// maxTypeErrors is how many errors of one package are told: the rest mostly
// follow from them.
const maxTypeErrors = 10

// typesRun type-checks packages from source, side by side, each after those
// that it imports.
type typesRun struct {
	*loader
	// emitted and before are those of Check, and nil in Load.
	emitted *emitted
	before  *typesRun

	checked map[string]*checked // by import path
	order   []*checked
	done    map[string]*types.Package // by import path, when all are
	told    bool                      // that something is wrong with types
}

// checked is a package on its way through the type-checker.
type checked struct {
	*pkg
	types    *types.Package
	ready    chan struct{} // closed when types is there
	imported bool          // by one that is checked
	defs     map[*ast.Ident]types.Object
	back     []string // imports that close a cycle
	wrong    spec.Errors
}

// newTypesRun puts the packages that have to be checked from source in order,
// for Check with generated files. Those that were checked before, and that
// these have no part in, are taken from there.
func (l *loader) newTypesRun(out *emitted, before *typesRun) *typesRun {
	r := &typesRun{loader: l, emitted: out, before: before, checked: map[string]*checked{}, done: map[string]*types.Package{}}
	var busy []string
	for _, p := range l.graph.source {
		r.enter(p, &busy)
	}
	return r
}

// all checks the packages, and returns what is wrong with them.
func (r *typesRun) all(check func(*checked)) spec.Errors {
	_ = parallel.Do(len(r.order), func(i int) error {
		check(r.order[i])
		return nil
	})
	var wrong spec.Errors
	for _, c := range r.order {
		if !c.forTests && !c.reported {
			wrong = append(wrong, c.wrong...)
		}
		r.done[c.ImportPath] = c.types
	}
	return wrong
}

// enter puts a package into the order, behind those that it imports, and
// reports whether it is to be checked. Busy are the packages that are being
// entered, each for the one before it.
func (r *typesRun) enter(p *pkg, busy *[]string) bool {
	if c := r.checked[p.ImportPath]; c != nil {
		return r.before == nil || c != r.before.checked[p.ImportPath]
	}
	c := &checked{pkg: p, ready: make(chan struct{})}
	anew := r.before == nil || r.emitted.code[p.dir] != nil || r.emitted.tests[p.dir] != nil
	*busy = append(*busy, p.ImportPath)
	for _, path := range p.imports() {
		if slices.Contains(*busy, path) {
			c.back = append(c.back, path)
		} else if below := r.graph.byPath[path]; below != nil {
			anew = r.enter(below, busy) || anew
			r.checked[path].imported = true
		}
	}
	*busy = (*busy)[:len(*busy)-1]
	if !anew {
		c = r.before.checked[p.ImportPath]
	} else {
		r.order = append(r.order, c)
	}
	r.checked[p.ImportPath] = c
	return anew
}

// importer finds what a package imports.
type importer struct {
	run *typesRun
	in  *checked
}

// Import implements [types.Importer].
func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	c := i.run.checked[path]
	if slices.Contains(i.in.back, path) || c != nil && c.reported {
		return nil, errReported
	}
	if c != nil {
		// It began before, and waits for nobody that waits for us.
		<-c.ready
		return c.types, nil
	}
	return i.run.exports.get(path)
}

// finish hands on the types of a package.
func (c *checked) finish(t *types.Package) {
	c.types = t
	close(c.ready)
}

// checkSource checks a package without generated files.
func (r *typesRun) checkSource(c *checked, judge func(types.Error) *spec.Error) {
	if c.handlers != nil {
		c.defs = map[*ast.Ident]types.Object{}
	}
	c.finish(r.checkFiles(c, c.files, judge))
}

// checkFiles type-checks files as a package. The bodies of functions matter
// only where there are handlers.
func (r *typesRun) checkFiles(c *checked, files []*file, judge func(types.Error) *spec.Error) *types.Package {
	report := c.reporter(r.files, judge)
	conf := types.Config{
		Importer:         importer{r, c},
		IgnoreFuncBodies: c.handlers == nil,
		// Package C is known to the C compiler alone. What depends on it has
		// no type here, and gives no error.
		FakeImportC: true,
		Sizes:       types.SizesFor("gc", build.Default.GOARCH),
		Error: func(err error) {
			if wrong, ok := errors.AsType[types.Error](err); ok {
				report(wrong)
			}
		},
	}
	if c.Module != nil && c.Module.GoVersion != "" {
		conf.GoVersion = "go" + c.Module.GoVersion
	}
	// The errors have gone to conf.Error; the package is as good as they let
	// it be.
	t, _ := conf.Check(c.ImportPath, r.files.fset, syntaxes(files), &types.Info{Defs: c.defs})
	return t
}

// reporter keeps the first errors of a package. The type-checker tells the
// place of an error's other half as an error of its own, which begins with a
// tab.
func (c *checked) reporter(files *files, judge func(types.Error) *spec.Error) func(types.Error) {
	var last *spec.Error
	count := 0
	return func(err types.Error) {
		if half, ok := strings.CutPrefix(err.Msg, "\t"); ok {
			if last != nil {
				last.Msg += fmt.Sprintf(": %s at %s", half, files.at(err.Pos))
			}
			return
		}
		if last = judge(err); last == nil {
			return
		}
		if c.handlers == nil && last.Cure == "" {
			last.Cure = "mend it first: a handler's package needs " + c.ImportPath
		}
		switch count++; {
		case count < maxTypeErrors:
			c.wrong = append(c.wrong, last)
		case count == maxTypeErrors:
			c.wrong.Add(last.Pos, "too many errors in package "+c.ImportPath, "mend the first ones")
		}
	}
}

func syntaxes(files []*file) []*ast.File {
	list := make([]*ast.File, len(files))
	for i, f := range files {
		list[i] = f.syntax
	}
	return list
}

// real returns the error that the type-checker found in the user's code, or
// nil if the same has been reported at a better place.
func (fs *files) real(err types.Error) *spec.Error {
	if strings.Contains(err.Msg, errReported.Error()) {
		return nil
	}
	msg := oneLine(err.Msg)
	return &spec.Error{Pos: fs.at(err.Pos), Msg: msg, Cure: typeCure(msg)}
}
