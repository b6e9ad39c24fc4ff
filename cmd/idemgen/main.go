package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitFine     = 0
	exitFindings = 1
	exitTrouble  = 2
)

// ended is the exit code of a command that has told all there is to tell.
type ended int

func (e ended) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := interruptible()
	defer stop()
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if code := ended(0); errors.As(err, &code) {
		return int(code)
	}
	for _, p := range problems(err) {
		fmt.Fprintln(stderr, p)
	}
	if err != nil {
		return exitTrouble
	}
	return exitFine
}

// interruptible returns a context that ends at the first signal to stop. From
// then on signals have their usual effect, so that a second one ends the
// process.
func interruptible() (context.Context, context.CancelFunc) {
	signalled, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	context.AfterFunc(signalled, func() {
		stop()
		cancel()
	})
	return ctx, stop
}

func rootCommand() *cobra.Command {
	o := &options{}
	root := &cobra.Command{
		Use:   "idemgen",
		Short: "Make handlers safe against a second delivery",
		Long: `idemgen makes handlers of queues, webhooks and schedulers safe against a second
delivery. Write one line above a function:

    //idem:key notify:{event.ID}
    func Notify(ctx context.Context, event ShippedEvent) (Receipt, error)

and idemgen generate writes the wrapper NotifyOnce, which claims the key in the
database before it runs Notify and answers every duplicate with the stored
result; its race tests; the migrations; and the SQL that finds work that ran
twice.

Exit codes: 0 all is well, 1 there are findings, 2 it could not be done.`,
		Example: `  //go:generate go tool idemgen generate

  idemgen init
  idemgen generate
  idemgen explain Notify
  idemgen check`,
		Args:              cobra.ArbitraryArgs,
		RunE:              helpOrUnknown,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVarP(&o.dir, "dir", "C", ".", "work in the project that this `directory` belongs to")
	completeDirectories(root, "dir")
	root.PersistentFlags().BoolVarP(&o.verbose, "verbose", "v", false, "tell how long each stage took, on standard error, and name unchanged files")
	root.SetHelpCommand(helpCommand())
	root.AddCommand(
		initCommand(o), generateCommand(o), checkCommand(o), explainCommand(o),
		schemaCommand(), versionCommand(), completionCommand(),
	)
	return root
}

func helpOrUnknown(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("unknown command %q; did you mean %s?", args[0], near[0])
	}
	return fmt.Errorf("unknown command %q; idemgen help lists the commands", args[0])
}

// helpCommand is for idemgen help generate, which is generate --help.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Tell what a command does",
		Long:    `Help tells of a command what it does, with its flags and examples.`,
		Example: `  idemgen help generate`,
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || of == cmd.Root() {
				return helpOrUnknown(cmd.Root(), args)
			}
			if len(rest) > 0 {
				return fmt.Errorf("help takes one command; leave out %q", rest[0])
			}
			return of.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []string
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
