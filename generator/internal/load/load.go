package load

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Options say what to load.
type Options struct {
	Root   string // as FindRoot returns it
	Config spec.Config
	Wrong  spec.Errors                        // of the configuration, which Load returns with its own
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
	l := &loader{ctx: ctx, opts: opts, files: newFiles(root), exports: newExports(), errs: slices.Clone(opts.Wrong), otherRoots: map[string][]spec.Declaration{}}
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
	if err := l.inOurPlaces(l.errs).Err(); err != nil {
		return nil, err
	}
	return &Program{Spec: l.spec, loader: l}, nil
}

// loader holds what the stages hand on.
type loader struct {
	ctx    context.Context
	opts   Options
	files  *files
	errs   spec.Errors
	found  *found
	funcs  map[string][]*annotated // by directory; empty where idemgen.yaml alone names some
	wanted map[string][]*wanted    // by directory
	// wantedTypes are, by directory, the types that idemgen.yaml names.
	wantedTypes map[string][]*wantedType
	graph       *graph
	exports     *exports
	run         *typesRun
	spec        *spec.Spec

	moduleDir  string // see module
	modulePath string
	others     map[string]*goPackage         // see listOthers
	foreigners []*annotated                  // in packages of other projects
	otherRoots map[string][]spec.Declaration // what those projects declare, by their root
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
	l.files.texts = found.texts
	files, err := l.files.readAll(found.mention)
	if err != nil {
		return err
	}
	for _, f := range files {
		funcs, errs := f.directives()
		l.errs = append(l.errs, errs...)
		if funcs != nil {
			l.funcs[path.Dir(f.path)] = append(l.funcs[path.Dir(f.path)], funcs...)
		}
	}
	l.declare()
	l.declareTypes()
	return l.behindLinks()
}

// list asks for the annotated packages and what lies below them.
func (l *loader) list() error {
	l.graph = newGraph(l.files)
	if len(l.funcs) == 0 {
		return nil
	}
	if wrong := l.noModules(); wrong != nil {
		return append(l.errs, wrong).Err()
	}
	patterns := slices.Concat(l.impliedByCode(), impliedByTests(l.opts.Config.Dialects))
	var names []string
	for dir := range l.funcs {
		patterns = append(patterns, pattern(dir))
		names = append(names, l.found.hand[dir]...)
	}
	slices.Sort(patterns)
	// There is time to parse what is going to be needed.
	var parsing sync.WaitGroup
	parsing.Go(func() { _, _ = l.files.readAll(names) })
	listed, err := listDeps(l.ctx, l.files.root, patterns)
	parsing.Wait()
	if err != nil {
		return err
	}
	if err := l.foreign(listed); err != nil {
		return err
	}
	l.graph.add(listed, func(dir string) bool { return l.annotated(dir) || l.found.dirty[dir] })
	l.unlisted(listed)
	l.outputCycles()
	return l.cycles()
}

// annotated reports whether a directory has handlers.
func (l *loader) annotated(dir string) bool { return l.funcs[dir] != nil }
