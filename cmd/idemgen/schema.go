package main

import (
	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of idemgen.yaml",
		Long: `Schema prints the JSON Schema of idemgen.yaml, by which editors complete and
check it. A project need not keep it by hand: if the first line of idemgen.yaml
is

    # yaml-language-server: $schema=idemgen.schema.json

idemgen generate writes that file and keeps it current. Another copy is yours, and
no command touches it.`,
		Example:           `  idemgen schema >idemgen.schema.json`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(generator.Schema())
			return err
		},
	}
}
