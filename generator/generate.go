package generator

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/generator/internal/load"
)

// Config says what to generate. All else is in the project's idemgen.yaml.
type Config struct {
	// Dir is the project's root, as [Root] finds it. All paths and positions
	// that come back are relative to it.
	Dir string
	// Stage is told how long each stage took, and may be nil.
	Stage func(name string, d time.Duration)
	// Notice is told what is no error, and may be nil: a fixture whose handler
	// has gone, an idemgen.yaml that holds for a part of the module alone.
	Notice func(*Error)
}

// Generate computes every file that the project should have, and writes none.
// Neither a missing nor a broken output of before keeps it from working. A
// project without handlers has no Go files; that is no error. What the
// developer has to mend comes all at once, as [Errors].
//
// It runs the go command, and ends it when ctx ends.
func Generate(ctx context.Context, cfg Config) ([]File, error) {
	program, err := cfg.load(ctx)
	if err != nil {
		return nil, err
	}
	cfg.notify(program.Notices())
	out := &output{root: cfg.Dir, spec: program.Spec}
	if err := out.emit(ctx, stopwatch(cfg.Stage)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := program.Check(out.goFiles()); err != nil {
		return nil, err
	}
	return out.files, nil
}

// load reads the configuration and the packages. That validates, too: most of
// the rules need the types.
func (cfg Config) load(ctx context.Context) (*load.Program, error) {
	timed := stopwatch(cfg.Stage)
	config, wrong, err := load.ReadBrokenConfig(cfg.Dir)
	timed("config")
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return load.Load(ctx, load.Options{Root: cfg.Dir, Config: config, Wrong: wrong, Stage: cfg.Stage})
}

func (cfg Config) notify(notices Errors) {
	for _, e := range notices {
		if cfg.Notice != nil {
			cfg.Notice(e)
		}
	}
}

// emit runs the emitters.
func (o *output) emit(ctx context.Context, timed func(name string)) error {
	if err := o.readable(); err != nil {
		return err
	}
	for _, e := range emitters {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.emit(o); err != nil {
			return err
		}
		timed(e.name)
	}
	return nil
}

// stopwatch tells the time since it was last asked.
func stopwatch(tell func(string, time.Duration)) func(name string) {
	start := time.Now()
	return func(name string) {
		if tell != nil {
			tell(name, time.Since(start))
		}
		start = time.Now()
	}
}
