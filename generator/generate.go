package generator

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/generator/internal/load"
)

// Config says what to generate.
type Config struct {
	Dir   string                             // the project's root; see Root
	Stage func(name string, d time.Duration) // told the time of each stage; may be nil
}

// Generate computes every file that the project should have, and writes none.
// Neither a missing nor a broken output of before keeps it from working. A
// project without handlers has no [Owned] files; that is no error. What the
// developer has to mend comes all at once, as [Errors].
func Generate(ctx context.Context, cfg Config) ([]File, error) {
	timed := stopwatch(cfg.Stage)
	config, err := load.ReadConfig(cfg.Dir)
	timed("config")
	if err != nil {
		return nil, err
	}
	// Load also validates: most of the rules need the types.
	program, err := load.Load(ctx, load.Options{Root: cfg.Dir, Config: config, Stage: cfg.Stage})
	if err != nil {
		return nil, err
	}
	out := &output{root: cfg.Dir, spec: program.Spec}
	timed = stopwatch(cfg.Stage)
	for _, e := range emitters {
		if err := e.emit(out); err != nil {
			return nil, err
		}
		timed(e.name)
	}
	if err := out.format(); err != nil {
		return nil, err
	}
	timed("format")
	if err := program.Check(out.goFiles()); err != nil {
		return nil, err
	}
	return out.files, nil
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
