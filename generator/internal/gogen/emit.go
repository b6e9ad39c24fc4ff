package gogen

import "github.com/idemgen/idemgen/generator/internal/spec"

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
	race := raceTest{config: s.Config, migrations: migrations}
	var files []File
	for _, src := range s.Files {
		emitters := []emitter{emitWrappers, race.emit}
		for _, h := range src.Handlers {
			if d := names.of[h]; !d.given[d.args] || !d.given[d.real] {
				emitters = append(emitters, fixtureOf(h))
			}
		}
		for _, emit := range emitters {
			file, err := emit(src, names)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// emitter writes one file beside a source file.
type emitter func(*spec.File, *declarations) (File, error)
