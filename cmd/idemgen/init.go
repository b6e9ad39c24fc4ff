package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func initCommand(o *options) *cobra.Command {
	var dialects []string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Prepare a module for idemgen",
		Long: `Init writes what a project begins with, at the root of the module, or of the part
of it that has an idemgen.yaml already:

  idemgen.yaml         in which every field is explained; defaults are commented out
  idemgen.schema.json  by which editors complete and check idemgen.yaml
  generate.go          with the go:generate line, unless a file has one

and then tells the next steps. It writes over nothing: what is there stays, but for
its own go:generate line, which runs idemgen as a tool as soon as go.mod names it. The
dialect is that of the driver which go.mod requires, pgx or one for SQLite, and
without either postgres.`,
		Example: `  idemgen init
  idemgen init --dialect sqlite
  idemgen init --dialect postgres,sqlite`,
		Args:              wholeProject,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return o.init(cmd, dialects) },
	}
	names := generator.Dialects()
	cmd.Flags().StringSliceVar(&dialects, "dialect", nil, "the `dialect`, or several: "+strings.Join(names, ", "))
	complete(cmd, "dialect", names)
	return cmd
}

func (o *options) init(cmd *cobra.Command, dialects []string) error {
	s, err := generator.Init(cmd.Context(), o.dir, dialects...)
	p := project{s.Root}
	for _, name := range s.Wrote {
		cmd.Println("wrote", p.rel(name))
	}
	for _, name := range s.Kept {
		cmd.Println("kept", p.rel(name)+", which was there")
	}
	if err != nil {
		return p.wrap(err)
	}
	cmd.Print(p.steps(s))
	return nil
}

// A step is what to do next: why, and lines to write or commands to run.
type step struct {
	why   string
	lines []string
}

// steps returns the text that says what to do next.
func (p project) steps(s generator.Setup) string {
	var b strings.Builder
	where := ""
	if dir := p.rel("."); dir != "." {
		where = ", in " + dir
	}
	fmt.Fprintf(&b, "\nNext%s:\n", where)
	for i, step := range append(missingSteps(s), usualSteps(s)...) {
		fmt.Fprintf(&b, "\n%d. %s\n\n", i+1, step.why)
		for _, line := range step.lines {
			fmt.Fprintf(&b, "       %s\n", line)
		}
	}
	return b.String()
}

// missingSteps are what Init could not do.
func missingSteps(s generator.Setup) []step {
	var steps []step
	if s.NeedsTool {
		steps = append(steps, step{"Make idemgen a tool of the module, and let the go:generate line run that, unless it lies on the path everywhere:",
			[]string{"go get -tool github.com/idemgen/idemgen/cmd/idemgen", "go tool idemgen init"}})
	}
	if s.SchemaLine != "" {
		steps = append(steps, step{"For completion in editors, begin " + generator.ConfigName + " with the line", []string{s.SchemaLine}})
	}
	if s.GenerateLine != "" {
		steps = append(steps, step{"Add to generate.go, or to any other Go file here, the line", []string{s.GenerateLine}})
	}
	if s.NeedsModule && !s.NeedsTool {
		steps = append(steps, step{"Get the module that the generated code imports:", []string{"go get github.com/idemgen/idemgen"}})
	}
	return steps
}

func usualSteps(s generator.Setup) []step {
	return []step{
		{"Write one line above a handler, or an entry in idemgen.yaml (" + s.Command + " explain --help has all that it can say):",
			[]string{"//idem:key notify:{event.ID}", "func Notify(ctx context.Context, event ShippedEvent) (Receipt, error)"}},
		{"Generate the wrappers, their race tests, the migrations and the audit SQL:",
			[]string{"go generate ./...", "go mod tidy"}},
		{"Apply the migrations, and later those that orders and upserts add:", migrateCommands(s)},
		{"Run the race tests, and call the wrapper, NotifyOnce, where the handler was called:",
			[]string{"go test -race ./..."}},
		{"Keep git from changing line ends, and say what is generated:",
			[]string{
				"echo '* text=auto eol=lf' >>.gitattributes",
				"echo '*_idem.go linguist-generated=true' >>.gitattributes",
				"echo 'idem_specs.go linguist-generated=true' >>.gitattributes",
			}},
		{"Let CI tell when what is committed is not current:", []string{s.Command + " check"}},
	}
}

// migrateCommands returns what applies the migrations of each dialect.
func migrateCommands(s generator.Setup) []string {
	var commands []string
	for i, dialect := range s.Dialects {
		command, ok := migrateCommand[s.Tool+" "+dialect]
		if !ok {
			command = migrateCommand["plain "+dialect]
		}
		commands = append(commands, strings.ReplaceAll(command, "DIR", s.Migrations[i]))
	}
	return commands
}

// migrateCommand is by the tool and the dialect. DIR is the directory.
var migrateCommand = map[string]string{
	"plain postgres":          `cat DIR/*_idemgen_*.up.sql | psql "$DATABASE_URL"`,
	"plain sqlite":            `cat DIR/*_idemgen_*.up.sql | sqlite3 app.db`,
	"goose postgres":          `goose -dir DIR postgres "$DATABASE_URL" up`,
	"goose sqlite":            `goose -dir DIR sqlite3 app.db up`,
	"golang-migrate postgres": `migrate -path DIR -database "$DATABASE_URL" up`,
	"golang-migrate sqlite":   `migrate -path DIR -database sqlite://app.db up`,
	"tern postgres":           `tern migrate --migrations DIR --conn-string "$DATABASE_URL"`,
	"dbmate postgres":         `dbmate --migrations-dir DIR --url "$DATABASE_URL" up`,
	"dbmate sqlite":           `dbmate --migrations-dir DIR --url sqlite:app.db up`,
	"atlas postgres":          `atlas migrate hash --dir file://DIR && atlas migrate apply --dir file://DIR --url "$DATABASE_URL"`,
	"atlas sqlite":            `atlas migrate hash --dir file://DIR && atlas migrate apply --dir file://DIR --url sqlite://app.db`,
}
