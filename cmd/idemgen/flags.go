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
		name := unknown.GetSpecifiedName()
		if instead := meant[cmd.Name()+" --"+name]; instead != "" {
			return errors.New(instead)
		}
		if near := nearest(name, flagNames(cmd)); near != "" {
			cure = "did you mean --" + near + "?"
		}
	}
	return fmt.Errorf("%w; %s", err, cure)
}

// meant are flags that one may expect where they are not.
var meant = map[string]string{
	"check --dry-run":  "check never writes, and has no --dry-run; leave it out, or run idemgen generate --dry-run",
	"explain --format": "explain has no --format; use --json",
	"generate --json":  "generate has no --json; use --format json",
	"check --json":     "check has no --json; use --format json",
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// nearest returns the candidate that a name most likely stands for, if any is
// near. It asks what knows which command one most likely stands for.
func nearest(name string, candidates []string) string {
	all := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, c := range candidates {
		all.AddCommand(&cobra.Command{Use: c, Run: func(*cobra.Command, []string) {}})
	}
	if near := all.SuggestionsFor(name); len(near) > 0 {
		return near[0]
	}
	return ""
}

// complete says what a flag's values are.
func complete(cmd *cobra.Command, flag string, values []string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag
	}
}

// completeDirectories says that a flag of all commands names a directory.
func completeDirectories(cmd *cobra.Command, flag string) {
	if err := cmd.MarkPersistentFlagDirname(flag); err != nil {
		panic(err) // there is no such flag
	}
}

// wholeProject refuses arguments where people may expect package patterns.
func wholeProject(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes the whole project and no argument such as %q; name another project's directory with -C", cmd.Name(), args[0])
	}
	return nil
}

// noArguments refuses all.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument; leave out %q", cmd.Name(), args[0])
	}
	return nil
}
