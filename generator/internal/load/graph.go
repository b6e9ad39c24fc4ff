package load

import (
	"slices"
	"strconv"
	"strings"
)

// pkg is a package that is type-checked from source.
type pkg struct {
	*goPackage
	dir      string // slash-separated, relative to the root
	files    []*file
	handlers []*annotated // in the order of the source
}

// imports returns the paths that the package's files import.
func (p *pkg) imports() []string {
	var paths []string
	for _, f := range p.files {
		paths = append(paths, f.imports()...)
	}
	return paths
}

func (f *file) imports() []string {
	var paths []string
	for _, spec := range f.syntax.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// graph is the annotated packages and all below them.
type graph struct {
	files  *files
	byPath map[string]*pkg
	source []*pkg // those to type-check from source, in the order of their directories
}

func newGraph(fs *files) *graph { return &graph{files: fs, byPath: map[string]*pkg{}} }

// add takes the packages in, and finds those that cannot be had compiled
// because of output that is missing or stale: the ones that are reported to
// be dirty, by their directory, and all that import one.
func (g *graph) add(listed []*goPackage, dirty func(dir string) bool) {
	importers := map[string][]*pkg{}
	var todo []*pkg
	for _, gp := range listed {
		if gp.Dir == "" {
			continue // not to be found
		}
		p := &pkg{goPackage: gp, dir: g.files.relative(gp.Dir)}
		for _, imported := range gp.Imports {
			importers[imported] = append(importers[imported], p)
		}
		if dirty(p.dir) {
			todo = append(todo, p)
		}
	}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		if g.byPath[p.ImportPath] == nil {
			g.byPath[p.ImportPath] = p
			g.source = append(g.source, p)
			todo = append(todo, importers[p.ImportPath]...)
		}
	}
	slices.SortFunc(g.source, func(a, b *pkg) int { return strings.Compare(a.dir, b.dir) })
}

func (g *graph) isSource(importPath string) bool { return g.byPath[importPath] != nil }
