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

// nearestFlag returns the flag that a name is at most two typing errors away
// from.
func nearestFlag(cmd *cobra.Command, name string) string {
	best, bound := "", 3
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := editDistance(name, f.Name); d < bound && d < len(name) {
			best, bound = f.Name, d
		}
	})
	return best
}

// editDistance is Levenshtein's.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// wholeProject refuses arguments where people may expect package patterns.
func wholeProject(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes the whole project and no argument such as %q; name another project's directory with -C", cmd.Name(), args[0])
	}
	return nil
}
