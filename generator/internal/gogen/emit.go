package gogen

import (
	"github.com/idemgen/idemgen/generator/internal/parallel"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// File is a file to be written.
type File struct {
	Path string // slash-separated, relative to the root
	Data []byte
	Once bool // the developer's own from then on: written only if there is none
}

// Emit returns the Go output of all handlers and upserts, in the order of the
// source files. The function migrations returns the paths of a dialect's up
// migrations, relative to the root, in the order in which they run; sql returns
// the SQL of an upsert.
func Emit(s *spec.Spec, migrations func(spec.Dialect) []string, sql func(spec.Dialect, *spec.Upsert) UpsertSQL) ([]File, error) {
	names, err := declare(s)
	if err != nil {
		return nil, err
	}
	us := upserts{s.Config.Dialects, sql}
	race := newRaceTest(s.Config, migrations, us)
	var tasks []task
	for _, src := range s.Files {
		tasks = append(tasks, task{src, us.emitWrappers}, task{src, race.emit})
		for _, u := range src.Upserts {
			if n := names.upserts[u]; !n.given[n.row] || !n.given[n.create] {
				tasks = append(tasks, task{src, race.upsertFixture(u)})
			}
		}
		for _, h := range src.Handlers {
			if d := names.of[h]; !d.given[d.args] || !d.given[d.real] {
				tasks = append(tasks, task{src, fixtureOf(h)})
			}
		}
	}
	return run(append(tasks, specsTasks(s.Files)...), names)
}

// emitter writes one file beside a source file, its own or its package's. Several run at once: what
// they share, they only read.
type emitter func(*spec.File, *declarations) (File, error)

type task struct {
	src  *spec.File
	emit emitter
}

// run returns the files of all tasks in their order, or the first error in it.
func run(tasks []task, names *declarations) ([]File, error) {
	files := make([]File, len(tasks))
	err := parallel.Do(len(tasks), func(i int) (err error) {
		files[i], err = tasks[i].emit(tasks[i].src, names)
		return err
	})
	if err != nil {
		return nil, err
	}
	return files, nil
}
