package load

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// outputCycles reports the annotated packages that what their output imports
// is built on. That happens where the runtime, or what it rests on, is a copy
// of one's own.
func (l *loader) outputCycles() {
	for _, p := range l.graph.inDir(l.annotated) {
		what, chain := "output", l.graph.chain(p, l.impliedByCode())
		if chain == nil {
			what, chain = "race tests", l.graph.chain(p, impliedByTests(l.opts.Config.Dialects))
		}
		if chain == nil {
			continue
		}
		l.errs.Add(l.declaredAt(p.dir),
			fmt.Sprintf("the %s of this package would make an import cycle: %s", what, strings.Join(chain, " imports ")),
			fmt.Sprintf("move the handlers to a package that %s does not import, and call from there what they need of this one", chain[len(chain)-2]))
	}
}

// chain returns the shortest way from a package over one of the imports back
// to itself, or nil. A way that is there without the output is not meant.
func (g *graph) chain(p *pkg, imports []string) []string {
	from := map[string]string{}
	todo := slices.DeleteFunc(slices.Clone(imports), func(path string) bool { return slices.Contains(p.Imports, path) })
	for _, path := range todo {
		from[path] = p.ImportPath
	}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if path == p.ImportPath {
			return wayBack(from, path)
		}
		q := g.listed[path]
		if q == nil {
			continue
		}
		for _, next := range q.Imports {
			if from[next] == "" {
				from[next] = path
				todo = append(todo, next)
			}
		}
	}
	return nil
}

// wayBack returns the steps that lead to where they began.
func wayBack(from map[string]string, path string) []string {
	way := []string{path}
	for step := from[path]; step != path; step = from[step] {
		way = append(way, step)
	}
	way = append(way, path)
	slices.Reverse(way)
	return way
}

// cycles reports the import cycles that are there, each at the import that
// closes it. The type-checker would miss those that only bodies need.
func (l *loader) cycles() error {
	c := &cycleFinder{loader: l, left: map[string]bool{}}
	starts := l.graph.inDir(l.annotated)
	slices.SortFunc(starts, byDir)
	for _, p := range starts {
		if err := c.enter(p); err != nil {
			return err
		}
	}
	return nil
}

// cycleFinder goes through packages, each before those that it imports.
type cycleFinder struct {
	*loader
	busy []string // the packages that it is in
	left map[string]bool
}

func (c *cycleFinder) enter(p *pkg) error {
	if c.left[p.ImportPath] {
		return nil
	}
	c.busy = append(c.busy, p.ImportPath)
	for _, path := range p.Imports {
		if i := slices.Index(c.busy, path); i >= 0 {
			if err := c.report(p, append(slices.Clone(c.busy[i:]), path)); err != nil {
				return err
			}
		} else if q := c.graph.listed[path]; q != nil {
			if err := c.enter(q); err != nil {
				return err
			}
		}
	}
	c.busy = c.busy[:len(c.busy)-1]
	c.left[p.ImportPath] = true
	return nil
}

// report reports a cycle that a package closes.
func (c *cycleFinder) report(p *pkg, cycle []string) error {
	files, err := c.filesOf(p, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, f := range files {
		f.eachImport(func(path string, at token.Pos) {
			if path == cycle[len(cycle)-1] {
				c.errs.Add(f.pos(at), "import cycle: "+strings.Join(cycle, " imports "), "move what the packages share to one of its own")
			}
		})
	}
	return nil
}
