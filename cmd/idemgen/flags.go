package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError turns the parser's complaint into one with a cure.
func flagError(cmd *cobra.Command, err error) error {
	cure := cmd.CommandPath() + " --help lists the flags"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if near := nearestFlag(cmd, unknown.GetSpecifiedName()); near != "" {
			cure = "did you mean --" + near + "?"
		}
	}
	return fmt.Errorf("%w; %s", err, cure)
}

// nearestFlag returns the flag that a name most likely stands for. It asks
// what knows which command one most likely stands for.
func nearestFlag(cmd *cobra.Command, name string) string {
	flags := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	near := flags.SuggestionsFor(name)
	if len(near) == 0 {
		return ""
	}
	return near[0]
}

// wholeProject refuses arguments where people may expect package patterns.
func wholeProject(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes the whole project and no argument such as %q; name another project's directory with -C", cmd.Name(), args[0])
	}
	return nil
}
