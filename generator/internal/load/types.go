package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/types"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// maxTypeErrors is how many errors of one package are told: the rest mostly
// follow from them.
const maxTypeErrors = 10

// typesRun type-checks packages from source, each once, in the order in which
// they import each other.
type typesRun struct {
	*loader
	// extra are generated files, by directory, that belong to the packages.
	extra map[string][]*file
	// judge says what an error of the type-checker is to the user; nil is
	// none.
	judge func(types.Error) *spec.Error

	busy  []string // the packages that are being checked, each for the one before it
	done  map[string]*types.Package
	defs  map[*ast.Ident]types.Object
	wrong spec.Errors
}

func (l *loader) newTypesRun(extra map[string][]*file, judge func(types.Error) *spec.Error) *typesRun {
	return &typesRun{
		loader: l, extra: extra, judge: judge,
		done: map[string]*types.Package{}, defs: map[*ast.Ident]types.Object{},
	}
}

// all checks every package that has to be checked from source.
func (r *typesRun) all() {
	for _, p := range r.graph.source {
		r.check(p)
	}
}

// Import implements [types.Importer].
func (r *typesRun) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := r.graph.byPath[path]
	if p == nil {
		return r.exports.read(r.files.fset, path)
	}
	if i := slices.Index(r.busy, path); i >= 0 {
		cycle := append(slices.Clone(r.busy[i:]), path)
		return nil, errors.New("import cycle: " + strings.Join(cycle, " imports "))
	}
	return r.check(p), nil
}

func (r *typesRun) check(p *pkg) *types.Package {
	if t := r.done[p.ImportPath]; t != nil {
		return t
	}
	r.busy = append(r.busy, p.ImportPath)
	r.done[p.ImportPath] = r.checkFiles(p, append(syntaxes(p.files), syntaxes(r.extra[p.dir])...), r.judge)
	r.busy = r.busy[:len(r.busy)-1]
	return r.done[p.ImportPath]
}

// checkFiles type-checks files as a package. The bodies of functions matter
// only where there are handlers.
func (r *typesRun) checkFiles(p *pkg, syntax []*ast.File, judge func(types.Error) *spec.Error) *types.Package {
	report := r.reporter(p, judge)
	conf := types.Config{
		Importer:         r,
		IgnoreFuncBodies: p.handlers == nil,
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
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	// The errors have gone to conf.Error; the package is as good as they let
	// it be.
	t, _ := conf.Check(p.ImportPath, r.files.fset, syntax, &types.Info{Defs: r.defs})
	return t
}

// reporter keeps the first errors of a package. The type-checker tells the
// place of an error's other half as an error of its own, which begins with a
// tab.
func (r *typesRun) reporter(p *pkg, judge func(types.Error) *spec.Error) func(types.Error) {
	var last *spec.Error
	count := 0
	return func(err types.Error) {
		if half, ok := strings.CutPrefix(err.Msg, "\t"); ok {
			if last != nil {
				last.Msg += fmt.Sprintf(": %s at %s", half, r.files.at(err.Pos))
			}
			return
		}
		if last = judge(err); last == nil {
			return
		}
		switch count++; {
		case count < maxTypeErrors:
			r.wrong = append(r.wrong, last)
		case count == maxTypeErrors:
			r.wrong.Add(last.Pos, "too many errors in package "+p.ImportPath, "mend the first ones")
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
	return &spec.Error{Pos: fs.at(err.Pos), Msg: oneLine(err.Msg)}
}
