package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

// options are the flags of every command.
type options struct {
	dir     string
	verbose bool
}

// project is what generate and check work on.
type project struct {
	root  string
	files []generator.File
}

// load finds the project and computes its files. It says so when there is
// no handler, which is more often a mistake than meant.
func (o *options) load(cmd *cobra.Command) (project, error) {
	root, err := generator.Root(o.dir)
	if err != nil {
		return project{}, err
	}
	p := project{root: root}
	p.files, err = generator.Generate(cmd.Context(), generator.Config{Dir: root, Stage: o.stage(cmd), Notice: p.notice(cmd)})
	if err != nil {
		return project{}, p.wrap(err)
	}
	if !p.hasHandlers() {
		cmd.PrintErrf("idemgen: no handler in %s; write a directive above one, such as //idem:key notify:{event.ID}\n", p.rel("."))
	}
	return p, nil
}

// notice prints what is worth to know and no error.
func (p project) notice(cmd *cobra.Command) func(*generator.Error) {
	return func(e *generator.Error) {
		e.Pos.File = p.rel(e.Pos.File)
		cmd.PrintErrln(e)
	}
}

// hasHandlers reports whether anything asks for output: migrations outlive
// the handlers that they were written for.
func (p project) hasHandlers() bool {
	return slices.ContainsFunc(p.files, func(f generator.File) bool { return f.Kind == generator.Owned })
}

// stage prints the time of a stage if the user wants to know.
func (o *options) stage(cmd *cobra.Command) func(string, time.Duration) {
	if !o.verbose {
		return nil
	}
	return func(name string, d time.Duration) {
		cmd.PrintErrf("%-8s %v\n", name, d.Round(10*time.Microsecond))
	}
}

// rel names a file of the project as seen from the working directory, where
// the user, an editor or go generate looks for it.
func (p project) rel(name string) string {
	full := filepath.Join(p.root, filepath.FromSlash(name))
	wd, err := os.Getwd()
	if err != nil {
		return full
	}
	rel, err := filepath.Rel(wd, full)
	if err != nil {
		return full
	}
	return rel
}

// projectError is an error whose positions are relative to the project.
type projectError struct {
	project
	error
}

func (e projectError) Unwrap() error { return e.error }

func (p project) wrap(err error) error { return projectError{p, err} }

// errorLines returns what to print of an error: a line for each place, or one
// under the program's name when there is no place.
func errorLines(err error) []string {
	return linesIn(project{}, err)
}

func linesIn(p project, err error) []string {
	var of projectError
	if errors.As(err, &of) {
		p, err = of.project, of.error
	}
	var joined interface{ Unwrap() []error }
	var placed generator.Errors
	var lines []string
	switch {
	case errors.As(err, &joined):
		for _, e := range joined.Unwrap() {
			lines = append(lines, linesIn(p, e)...)
		}
	case errors.As(err, &placed):
		for _, e := range placed {
			seen := *e
			seen.Pos.File = p.rel(e.Pos.File)
			lines = append(lines, seen.Error())
		}
	default:
		lines = append(lines, fmt.Sprintf("idemgen: %v", err))
	}
	return lines
}
