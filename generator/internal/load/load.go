package load

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Options say what to load.
type Options struct {
	Root   string // as FindRoot returns it
	Config spec.Config
	Stage  func(name string, d time.Duration) // called after each stage; may be nil
}

// Program is a loaded project.
type Program struct {
	Spec *spec.Spec

	loader *loader
}

// Load finds the handlers of the project below the root. An error that the
// user can mend is [spec.Errors], and holds all there are.
func Load(ctx context.Context, opts Options) (*Program, error) {
	root, err := filepath.Abs(opts.Root)
	if err != nil {
		return nil, err
	}
	l := &loader{ctx: ctx, opts: opts, files: newFiles(root), exports: newExports()}
	stages := []struct {
		name string
		run  func() error
	}{
		{"scan", l.scan},
		{"list", l.list},
		{"parse", l.parse},
		{"export", l.export},
		{"types", l.types},
	}
	for _, stage := range stages {
		if err := l.timed(stage.name, stage.run); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if err := l.errs.Err(); err != nil {
		return nil, err
	}
	return &Program{Spec: l.spec, loader: l}, nil
}

// loader holds what the stages hand on.
type loader struct {
	ctx     context.Context
	opts    Options
	files   *files
	errs    spec.Errors
	found   *found
	funcs   map[string][]*annotated // by directory
	graph   *graph
	exports *exports
	spec    *spec.Spec

	foreigners []*annotated // in packages of other projects
}

func (l *loader) timed(name string, run func() error) error {
	start := time.Now()
	err := run()
	if l.opts.Stage != nil {
		l.opts.Stage(name, time.Since(start))
	}
	return err
}

// scan finds the annotated functions.
func (l *loader) scan() error {
	found, err := scan(l.files.root)
	if err != nil {
		return err
	}
	l.found, l.funcs = found, map[string][]*annotated{}
	for _, p := range slices.Sorted(maps.Keys(found.mention)) {
		funcs, errs := l.files.parse(p, found.mention[p]).directives()
		l.errs = append(l.errs, errs...)
		if funcs != nil {
			l.funcs[path.Dir(p)] = append(l.funcs[path.Dir(p)], funcs...)
		}
	}
	return nil
}

// list asks for the annotated packages and what lies below them.
func (l *loader) list() error {
	l.graph = newGraph(l.files)
	if len(l.funcs) == 0 {
		return nil
	}
	var patterns []string
	for _, dir := range slices.Sorted(maps.Keys(l.funcs)) {
		patterns = append(patterns, "./"+dir)
	}
	listed, err := listDeps(l.ctx, l.files.root, patterns)
	if err != nil {
		return err
	}
	if err := l.foreign(listed); err != nil {
		return err
	}
	l.graph.add(listed, func(dir string) bool { return l.funcs[dir] != nil || l.found.dirty[dir] })
	l.unlisted(listed)
	return nil
}

// unlisted reports annotated directories that the go command has no package
// for.
func (l *loader) unlisted(listed []*goPackage) {
	for dir, funcs := range l.funcs {
		if slices.ContainsFunc(l.graph.source, func(p *pkg) bool { return p.dir == dir }) {
			continue
		}
		msg := "the go command finds no package in this directory"
		for _, p := range listed {
			if p.ImportPath == "./"+dir && p.Error != nil {
				msg += ": " + p.reason()
			}
		}
		l.errs.Add(funcs[0].directives[0].Pos, msg, "go list ./"+dir+" has to find it")
	}
}

// parse reads the packages that are type-checked from source.
func (l *loader) parse() error {
	for _, p := range l.graph.source {
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			name = l.files.relative(p.Dir, name)
			if l.found.outputs[name] {
				continue
			}
			f, err := l.files.read(name)
			if err != nil {
				return err
			}
			l.errs = append(l.errs, f.errs...)
			p.files = append(p.files, f)
		}
		l.handlers(p)
	}
	return nil
}

const excludedCure = "declare the handler in a file that every build takes, and call from it what differs between builds; " +
	"or run with GOOS, GOARCH, CGO_ENABLED or GOFLAGS=-tags=... set so that this file is built"

// handlers gives a package its annotated functions, and reports those that
// this build leaves out.
func (l *loader) handlers(p *pkg) {
	for _, a := range l.funcs[p.dir] {
		if slices.Contains(p.files, a.file) {
			p.handlers = append(p.handlers, a)
			continue
		}
		reason, cure := a.file.constraint(), excludedCure
		if reason == "" {
			reason, cure = "by its package clause", "move the function to a file of the package"
		}
		for _, d := range a.directives {
			l.errs.Add(d.Pos, fmt.Sprintf("//idem:%s stands in a file that this build leaves out (%s)", d.Name, reason), cure)
		}
	}
}

// export gets what the packages import from elsewhere.
func (l *loader) export() error {
	if len(l.graph.source) == 0 {
		return nil
	}
	needed := slices.Clone(implied)
	for _, p := range l.graph.source {
		needed = append(needed, p.imports()...)
	}
	// Check will want what the tests import, and asking twice costs twice.
	if err := l.fetch(slices.Concat(needed, impliedByTests(l.opts.Config.Dialects))); err != nil {
		return err
	}
	l.failedImports(needed)
	return nil
}

// fetch gets export data of packages, but for those that are type-checked
// from source.
func (l *loader) fetch(paths []string) error {
	paths = slices.DeleteFunc(paths, l.graph.isSource)
	return l.exports.fetch(l.ctx, l.files.root, paths)
}
