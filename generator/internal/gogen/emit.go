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

// Emit returns the Go output of all handlers, in the order of the source
// files. The function migrations returns the paths of a dialect's up
// migrations, relative to the root, in the order in which they run.
func Emit(s *spec.Spec, migrations func(spec.Dialect) []string) ([]File, error) {
	names, err := declare(s)
	if err != nil {
		return nil, err
	}
	race := newRaceTest(s.Config, migrations)
	var tasks []task
	for _, src := range s.Files {
		tasks = append(tasks, task{src, emitWrappers}, task{src, race.emit})
		for _, h := range src.Handlers {
			if d := names.of[h]; !d.given[d.args] || !d.given[d.real] {
				tasks = append(tasks, task{src, fixtureOf(h)})
			}
		}
	}
	return run(tasks, names)
}

// emitter writes one file beside a source file. Several run at once: what
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
