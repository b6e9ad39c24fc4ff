package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Version prints the version of idemgen's module, and of Go that built it. Generated
files do not hold it: two versions that generate the same change nothing.`,
		Example:           `  idemgen version`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		Run: func(cmd *cobra.Command, _ []string) {
			info := buildInfo()
			cmd.Println("idemgen", versionOf(info), info.GoVersion)
		},
	}
}

func buildInfo() *debug.BuildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return &debug.BuildInfo{}
	}
	return info
}

// versionOf prefers the module's version; a build from a checkout has none
// and names its commit.
func versionOf(info *debug.BuildInfo) string {
	version, revision, modified := info.Main.Version, "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = " " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " (modified)"
		}
	}
	if version == "" {
		version = "(devel)"
	}
	if version != "(devel)" {
		return version
	}
	return version + revision + modified
}
