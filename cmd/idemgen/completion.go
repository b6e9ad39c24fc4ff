package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that there is completion for.
var shells = []struct {
	name  string
	write func(*cobra.Command, io.Writer) error
}{
	{"bash", func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
	{"zsh", (*cobra.Command).GenZshCompletion},
	{"fish", func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) }},
	{"powershell", (*cobra.Command).GenPowerShellCompletionWithDesc},
}

func shellNames() []string {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return names
}

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion " + strings.Join(shellNames(), "|"),
		Short: "Print a shell's completion of idemgen's commands",
		Long: `Completion prints a script by which a shell completes idemgen's commands, flags
and their values, and for explain the names of handlers and packages. It works
for a command that is called idemgen, not for go tool idemgen.

bash, which needs the package bash-completion:

    idemgen completion bash >~/.local/share/bash-completion/completions/idemgen

zsh, with the directory on fpath and compinit called after that:

    idemgen completion zsh >~/.zsh/completions/_idemgen

fish:

    idemgen completion fish >~/.config/fish/completions/idemgen.fish

PowerShell:

    idemgen completion powershell >> $PROFILE

It holds for shells that are started from then on.`,
		Example:   `  source <(idemgen completion bash)`,
		ValidArgs: shellNames(),
		RunE:      completion,
	}
}

func completion(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("completion takes one shell: %s", strings.Join(shellNames(), ", "))
	}
	for _, s := range shells {
		if s.name == args[0] {
			return s.write(cmd.Root(), cmd.OutOrStdout())
		}
	}
	if near := nearest(args[0], shellNames()); near != "" {
		return fmt.Errorf("unknown shell %q; did you mean %s?", args[0], near)
	}
	return fmt.Errorf("unknown shell %q; the shells are %s", args[0], strings.Join(shellNames(), ", "))
}
