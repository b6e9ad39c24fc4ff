package main

import (
	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func checkCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Tell whether the generated files are current",
		Long: `Check computes what generate would write and compares. It writes nothing, not
even temporary files, and needs no database.

Each file that drifted, is missing or is left over is named on standard output,
followed by the unified diff that makes it current; git apply takes the whole at
the project's root.

Exit codes: 0 all is current, 1 some is not, 2 it could not tell.`,
		Example: `  idemgen check
  idemgen check -C services/billing`,
		Args: wholeProject,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.check(cmd) },
	}
}

func (o *options) check(cmd *cobra.Command) error {
	p, err := o.load(cmd)
	if err != nil {
		return err
	}
	found, err := generator.Compare(p.root, p.files)
	if err != nil {
		return p.wrap(err)
	}
	for _, d := range found {
		cmd.Printf("%s: %s\n%s", d.Kind, p.rel(d.Path), d.Diff)
	}
	if len(found) > 0 {
		cmd.PrintErrf("idemgen: not current: %d of the generated files; run idemgen generate and commit what it writes\n", len(found))
		return errFindings
	}
	return nil
}
