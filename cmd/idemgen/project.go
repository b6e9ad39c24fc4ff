package main

import (
	"os"
	"path"
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

// stage prints the time of a stage if the user wants to know.
func (o *options) stage(cmd *cobra.Command) func(string, time.Duration) {
	if !o.verbose {
		return nil
	}
	return func(name string, d time.Duration) {
		cmd.PrintErrf("%-8s %v\n", name, d.Round(10*time.Microsecond))
	}
}

// project is where the paths of the generator begin.
type project struct{ root string }

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

// wrap says whose positions those of an error are, if it is one.
func (p project) wrap(err error) error {
	if err == nil {
		return nil
	}
	return projectError{p, err}
}

func (p project) noHandler() problem {
	return problem{Message: "no handler in " + p.rel("."), Cure: "write a directive above one, such as //idem:key notify:{event.ID}, or name it under handlers in idemgen.yaml"}
}

// hasHandlers reports whether anything asks for output: migrations outlive
// the handlers that they were written for, and the schema is for who has none
// yet.
func hasHandlers(files []generator.File) bool {
	return slices.ContainsFunc(files, func(f generator.File) bool { return f.Kind == generator.Owned && path.Ext(f.Path) == ".go" })
}
