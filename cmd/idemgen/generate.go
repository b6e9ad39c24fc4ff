package main

import (
	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func generateCommand(options *options) *cobra.Command {
	o := &output{options: options}
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Write what the handlers ask for",
		Long: `Generate reads the directives and the idemgen.yaml of the whole project and
writes, beside each file with handlers, the wrappers and their race tests; and
the migrations, the audit SQL and idemgen.lock.

It writes nothing unless all is right, and then only what changed. Generated
files that nothing asks for any more are removed; files that a hand wrote are
never touched. Each file that it wrote or removed is a line on standard output;
with --diff, the unified diff follows. With --dry-run it says what it would
write and remove, and leaves all as it is.

With --watch it runs again whenever a Go file, idemgen.yaml, go.mod, go.sum,
go.work, idemgen.lock, or SQL of the project changes, or a Go file of its module,
of its workspace or of a directory that go.mod puts in the place of a module;
until Ctrl-C. Errors do not end it.

` + formatHelp + `

Exit codes: 0 all was written, or would be; 2 there are errors.`,
		Example: `  idemgen generate
  idemgen generate -C services/billing --verbose
  idemgen generate --dry-run --diff
  idemgen generate --watch

  //go:generate go tool idemgen generate`,
		Args:              wholeProject,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return o.run(cmd, o.generate) },
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&o.diff, "diff", false, "print the unified diffs of what it writes")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "tell what it would do, and do nothing")
	return cmd
}

func (o *output) generate(cmd *cobra.Command, doc *document) (generator.Result, error) {
	files, err := o.load(cmd, doc)
	if err != nil {
		return generator.Result{}, err
	}
	if o.dryRun {
		return generator.Result{}, o.compare(doc, files)
	}
	diffs, err := o.diffs(files)
	if err != nil {
		return generator.Result{}, err
	}
	if err := cmd.Context().Err(); err != nil {
		return generator.Result{}, err
	}
	done, err := generator.Write(o.project.root, files)
	for _, names := range []struct {
		is   status
		list []string
	}{{statusWrote, done.Wrote}, {statusRemoved, done.Removed}, {statusUnchanged, done.Unchanged}} {
		for _, name := range names.list {
			o.note(doc, names.is, name, diffs[name])
		}
	}
	return done, err
}

// diffs returns the diffs of what is about to be written, if they are wanted.
func (o *output) diffs(files []generator.File) (map[string]string, error) {
	if !o.diff {
		return nil, nil
	}
	found, err := generator.Compare(o.project.root, files)
	diffs := map[string]string{}
	for _, d := range found {
		diffs[d.Path] = d.Diff
	}
	return diffs, err
}
