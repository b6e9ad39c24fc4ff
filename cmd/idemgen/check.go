package main

import (
	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func checkCommand(options *options) *cobra.Command {
	o := &output{options: options}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Tell whether the generated files are current",
		Long: `Check computes what generate would write and compares. It writes nothing, not
even temporary files, and needs no database.

Each file that drifted, is missing or is left over is named on standard output,
followed by the unified diff that makes it current; git apply takes the whole at
the project's root. With --diff=false there are the names only. With --watch it
runs again at every change, as generate does.

` + formatHelp + `

Exit codes: 0 all is current, 1 some is not, 2 it could not tell.`,
		Example: `  idemgen check
  idemgen check -C services/billing --diff=false
  idemgen check --format sarif >idemgen.sarif`,
		Args:              wholeProject,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return o.run(cmd, o.check) },
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&o.diff, "diff", true, "print the unified diffs, not the names alone")
	return cmd
}

func (o *output) check(cmd *cobra.Command, doc *document) (generator.Result, error) {
	files, err := o.load(cmd, doc)
	if err == nil {
		err = o.compare(doc, files)
	}
	return generator.Result{}, err
}
