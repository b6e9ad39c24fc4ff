package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func explainCommand(o *options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [PACKAGE | HANDLER]...",
		Short: "Tell what is known of handlers",
		Long: `Explain tells of each handler where it is declared, its key with an example, what
else its directives or the defaults say, what the generated code is called and
which files belong to it. It needs none of those files and writes nothing.

Without arguments it tells of all handlers. Packages are named as for the go
command, ./jobs, ./... or example.com/shop/jobs, relative to the directory of
-C; handlers by function or namespace: Notify, Service.Notify, '(*Service).Notify',
./jobs.Notify, notify.

With --json it prints {"version": 1, "handlers": [...]}. A handler has name,
package, declared and function ({"file", "line", "col"}), declared_by (directive
or idemgen.yaml), key, example_key, namespace, fingerprint, allowed ([{"path",
"reason"}, ...]), mode, lease and lease_seconds, retain and retain_seconds (forever
is 0), attempts, audit, order, payload (keep, or empty), wrapper, key_function and
files. All are always there.

The mode is external where the work is done between the claim and the completion,
in no transaction of theirs, and transactional where it is done in the one of both.
The files are those that generate writes for the handler, for its source file or its
package, and its fixture; whether they are there or not.

It tells of upserts, too, which are named by type or table: Recipient, recipients.
In JSON they are upserts, if there are any, with name, package, type (a place),
declared, declared_by, table, by, version, nulls, columns, functions and files.

` + strings.TrimRight(generator.DirectiveHelp(), "\n"),
		Example: `  idemgen explain
  idemgen explain ./jobs/...
  idemgen explain Service.Notify --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.explain(cmd, args, asJSON) },
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return o.completeHandlers(cmd, args), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (o *options) explain(cmd *cobra.Command, args []string, asJSON bool) error {
	p, all, err := o.explained(cmd)
	if err != nil {
		return err
	}
	all, err = p.chosenOf(o.dir, args, all)
	if err != nil {
		return err
	}
	told := explained{Version: 1, Handlers: []handlerJSON{}}
	for _, h := range all.Handlers {
		told.Handlers = append(told.Handlers, p.explain(h))
	}
	for _, u := range all.Upserts {
		told.Upserts = append(told.Upserts, p.explainUpsert(u))
	}
	if len(all.Handlers)+len(all.Upserts) == 0 {
		cmd.PrintErrln(p.noHandler())
	}
	if asJSON {
		return writeJSON(cmd, told, true)
	}
	text := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for i, h := range told.Handlers {
		if i > 0 {
			fmt.Fprintln(text)
		}
		h.print(text)
	}
	for i, u := range told.Upserts {
		if i+len(told.Handlers) > 0 {
			fmt.Fprintln(text)
		}
		u.print(text)
	}
	return text.Flush()
}

// handlers returns those of the project.
func (o *options) handlers(cmd *cobra.Command) (project, []generator.Handler, error) {
	p, all, err := o.explained(cmd)
	return p, all.Handlers, err
}

// explained returns all there is to tell of the project.
func (o *options) explained(cmd *cobra.Command) (project, generator.Explained, error) {
	root, err := generator.Root(o.dir)
	if err != nil {
		return project{}, generator.Explained{}, err
	}
	p := project{root}
	all, err := generator.ExplainAll(cmd.Context(), generator.Config{Dir: root, Stage: o.stage(cmd)})
	return p, all, p.wrap(err)
}

// tableRow is a thing to say, perhaps in several lines.
type tableRow struct {
	name   string
	values []string
}

// print writes a handler, a row for each thing that there is to say.
func (h handlerJSON) print(text *tabwriter.Writer) {
	rows := []tableRow{
		{"package", []string{h.Package}},
		{"function", []string{h.Function.String()}},
		{"declared", []string{h.Declared.String()}},
		{"key", []string{h.Key}},
		{"example key", []string{h.ExampleKey}},
		{"namespace", []string{h.Namespace}},
		{"fingerprint", given(h.Fingerprint)},
		{"allowed", h.allowed()},
		{"mode", []string{h.Mode}},
		{"lease", []string{h.Lease}},
		{"retain", []string{h.Retain}},
		{"attempts", []string{strconv.Itoa(h.Attempts)}},
		{"audit", given(h.Audit)},
		{"order", given(h.Order)},
		{"payload", given(h.Payload)},
		{"wrapper", []string{h.Wrapper}},
		{"key function", []string{h.KeyFunction}},
		{"files", h.Files},
	}
	fmt.Fprintln(text, h.Name)
	printRows(text, rows)
}

// printRows writes what there is to say, the name of a row only once.
func printRows(text *tabwriter.Writer, rows []tableRow) {
	for _, row := range rows {
		for i, value := range row.values {
			if i > 0 {
				row.name = ""
			}
			fmt.Fprintf(text, "  %s\t%s\n", row.name, value)
		}
	}
}

// given returns what a handler need not have.
func given(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

func (h handlerJSON) allowed() []string {
	var texts []string
	for _, a := range h.Allowed {
		texts = append(texts, a.Path+": "+a.Reason)
	}
	return texts
}
