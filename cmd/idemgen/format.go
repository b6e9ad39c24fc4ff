package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A format is a way to print a document.
type format struct {
	name  string
	print func(*cobra.Command, *output, *document) error
}

// formats are all there are, the usual one first.
var formats = []format{
	{"text", printText},
	{"json", printJSON},
	{"github", printGitHub},
	{"sarif", printSARIF},
}

// formatHelp is what the help says of them.
const formatHelp = `The formats: text is for people. json is one document (with --watch, one a line):

    {"version": 1,
     "errors":  [{"file", "line", "col", "message", "cure"}, ...],
     "notices": [{"file", "line", "col", "message", "cure"}, ...],
     "files":   [{"path", "status", "diff"}, ...]}

All fields are always there. What has no place has an empty file, line 0 and col
0; columns count bytes. A status is wrote, removed or unchanged; of check and of
--dry-run drifted, missing, left over or unchanged. A diff is empty without --diff.

github has workflow commands, which GitHub shows beside the lines; sarif is SARIF
2.1.0, for code scanning. Of a dry run, what is not current is no error in them.
Paths are as seen from the working directory; in these two, where the environment
has GITHUB_WORKSPACE and the file is in there, from that directory. Nothing else is
on standard output, and a mistake in the command line itself is told on standard
error.`

func formatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

func formatFlag(cmd *cobra.Command, into *string) {
	names := formatNames()
	cmd.Flags().StringVar(into, "format", names[0], "print the outcome in this `format`: "+strings.Join(names, ", "))
	complete(cmd, "format", names)
}

func formatOf(name string) (format, error) {
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
	}
	names := formatNames()
	if near := nearest(name, names); near != "" {
		return format{}, fmt.Errorf("unknown format %q; did you mean %s?", name, near)
	}
	return format{}, fmt.Errorf("unknown format %q; the formats are %s", name, strings.Join(names, ", "))
}

func printText(cmd *cobra.Command, o *output, doc *document) error {
	for _, p := range doc.Notices {
		cmd.PrintErrln(p)
	}
	for _, f := range doc.Files {
		if f.Status == statusUnchanged && !o.verbose {
			continue
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s", o.line(f), f.Diff); err != nil {
			return err
		}
	}
	for _, p := range doc.Errors {
		cmd.PrintErrln(p)
	}
	if n := doc.findings(); n > 0 && !o.dryRun {
		cmd.PrintErrf("idemgen: not current: %d of the generated files; run idemgen generate and commit what it writes\n", n)
	}
	if o.watching {
		cmd.PrintErrln("idemgen: watching; Ctrl-C ends it")
	}
	return nil
}

// line says what became of a file, or would.
func (o *output) line(f file) string {
	switch {
	case !f.finding():
		return string(f.Status) + " " + f.Path
	case !o.dryRun:
		return string(f.Status) + ": " + f.Path
	case f.Status == statusLeftOver:
		return "would remove " + f.Path
	}
	return "would write " + f.Path
}

func printJSON(cmd *cobra.Command, o *output, doc *document) error {
	slices.SortFunc(doc.Files, func(a, b file) int { return strings.Compare(a.Path, b.Path) })
	return writeJSON(cmd, doc, !o.watching)
}

// writeJSON writes a value as people can read it, or in a line.
func writeJSON(cmd *cobra.Command, value any, indent bool) error {
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	return enc.Encode(value)
}
