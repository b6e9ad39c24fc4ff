package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// printGitHub prints workflow commands. What a dry run would do is no error.
func printGitHub(cmd *cobra.Command, o *output, doc *document) error {
	var b strings.Builder
	for _, p := range doc.Notices {
		workflowCommand(&b, "notice", noticeRule, p)
	}
	for _, f := range doc.Files {
		if f.finding() {
			workflowCommand(&b, o.level("error", "notice"), ruleOf(f.Status), f.problem())
		}
	}
	for _, p := range doc.Errors {
		workflowCommand(&b, "error", invalidRule, p)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), &b)
	return err
}

// level returns how bad a file is that is not current.
func (o *output) level(usual, dry string) string {
	if o.dryRun {
		return dry
	}
	return usual
}

// workflowCommand writes a line such as
//
//	::error file=jobs/notify.go,line=3,col=1,title=idemgen%3A invalid::it is bad
func workflowCommand(b *strings.Builder, command string, of rule, p problem) {
	fmt.Fprintf(b, "::%s ", command)
	if p.File != "" {
		fmt.Fprintf(b, "file=%s,line=%d,col=%d,", escapeProperty.Replace(filepath.ToSlash(inWorkspace(p.File))), p.Line, p.Col)
	}
	fmt.Fprintf(b, "title=%s::%s\n", escapeProperty.Replace("idemgen: "+of.id), escapeData.Replace(p.text()))
}

// What GitHub takes for syntax in a message, and in a property before it.
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
