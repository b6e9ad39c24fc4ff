package main

import (
	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func generateCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "generate",
		Short: "Write what the directives ask for",
		Long: `Generate reads the directives of the whole project and writes, beside each file
with handlers, the wrappers and their race tests; and the migrations, the audit
SQL and idemgen.lock.

It writes nothing unless all is right, and then only what changed. Generated
files that nothing asks for any more are removed; files that a hand wrote are
never touched. Each file that it wrote or removed is a line on standard output.`,
		Example: `  idemgen generate
  idemgen generate -C services/billing --verbose

  //go:generate go tool idemgen generate`,
		Args: wholeProject,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.generate(cmd) },
	}
}

func (o *options) generate(cmd *cobra.Command) error {
	p, err := o.load(cmd)
	if err != nil {
		return err
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	done, err := generator.Write(p.root, p.files)
	p.list(cmd, "wrote", done.Wrote)
	p.list(cmd, "removed", done.Removed)
	if o.verbose {
		p.list(cmd, "unchanged", done.Unchanged)
	}
	if err != nil {
		return p.wrap(err)
	}
	return nil
}

func (p project) list(cmd *cobra.Command, verb string, names []string) {
	for _, name := range names {
		cmd.Println(verb, p.rel(name))
	}
}
