package load

import (
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// pkg is a package that is type-checked from source.
type pkg struct {
	*goPackage
	dir      string       // slash-separated, relative to the root
	files    []*file      // of this build, without output
	beside   []*file      // where there are handlers: all hand-written ones
	handlers []*annotated // in the order of the source
	paths    []string     // see imports
	compiled bool         // by the go command, and not type-checked here
	forTests bool         // only generated tests need it
}

// imports returns the paths that the package's files import.
func (p *pkg) imports() []string {
	if p.paths == nil {
		p.paths = importsOf(p.files)
	}
	return p.paths
}

// importsOf returns the paths that files import, each once.
func importsOf(files []*file) []string {
	var paths []string
	for _, f := range files {
		f.eachImport(func(path string, _ token.Pos) { paths = append(paths, path) })
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// eachImport tells the imports of a file and their places.
func (f *file) eachImport(tell func(path string, at token.Pos)) {
	for _, s := range f.syntax.Imports {
		if path, err := strconv.Unquote(s.Path.Value); err == nil {
			tell(path, s.Pos())
		}
	}
}

// graph is the annotated packages and all below them.
type graph struct {
	files  *files
	listed map[string]*pkg // by import path
	byPath map[string]*pkg // those to type-check from source
	source []*pkg          // the same, in the order of their directories
}

func newGraph(fs *files) *graph {
	return &graph{files: fs, listed: map[string]*pkg{}, byPath: map[string]*pkg{}}
}

// add takes the packages in, and finds those that the go command compiles: the
// ones that nobody works on here, and the ones that use cgo, which the
// type-checker alone does not understand. But it cannot compile those that are
// reported to be dirty, by their directory, because of output that is missing
// or stale; nor any that import one.
func (g *graph) add(listed []*goPackage, dirty func(dir string) bool) {
	importers := map[string][]*pkg{}
	var todo []*pkg
	for _, gp := range listed {
		if gp.Dir == "" {
			continue // not to be found
		}
		p := &pkg{goPackage: gp, dir: g.files.relative(gp.Dir)}
		g.listed[p.ImportPath] = p
		for _, imported := range gp.Imports {
			importers[imported] = append(importers[imported], p)
		}
		if dirty(p.dir) {
			todo = append(todo, p)
		}
	}
	tainted := map[*pkg]bool{}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		if !tainted[p] {
			tainted[p] = true
			todo = append(todo, importers[p.ImportPath]...)
		}
	}
	for _, p := range g.listed {
		if !tainted[p] && (!p.local() || p.CgoFiles != nil) {
			g.compile(p)
		}
	}
}

// compile notes a package that the go command compiles. What it imports then
// comes the same way, for all to see the same types of a package.
func (g *graph) compile(p *pkg) {
	if p.compiled {
		return
	}
	p.compiled = true
	for _, path := range p.Imports {
		if q := g.listed[path]; q != nil {
			g.compile(q)
		}
	}
}

// inDir returns the packages of directories that are asked for.
func (g *graph) inDir(wanted func(dir string) bool) []*pkg {
	var found []*pkg
	for _, p := range g.listed {
		if wanted(p.dir) {
			found = append(found, p)
		}
	}
	return found
}

// name returns the name of a package, or "" if it is not known.
func (g *graph) name(importPath string) string {
	if p := g.listed[importPath]; p != nil {
		return p.Name
	}
	return ""
}

// imports returns the paths that the packages import which are type-checked
// from source.
func (g *graph) imports(forTests bool) []string {
	var paths []string
	for _, p := range g.source {
		if p.forTests == forTests {
			paths = append(paths, p.imports()...)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// addSource takes packages for those to type-check from source.
func (g *graph) addSource(packages []*pkg) {
	for _, p := range packages {
		g.byPath[p.ImportPath] = p
	}
	g.source = append(g.source, packages...)
	slices.SortFunc(g.source, byDir)
}

func byDir(a, b *pkg) int { return strings.Compare(a.dir, b.dir) }

// below returns those of the imported packages that are to be type-checked
// from source and are not known to be.
func (g *graph) below(imports []string) []*pkg {
	var found []*pkg
	for _, path := range imports {
		p := g.listed[path]
		if p != nil && !p.compiled && !g.isSource(path) && !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	return found
}

func (g *graph) isSource(importPath string) bool { return g.byPath[importPath] != nil }
