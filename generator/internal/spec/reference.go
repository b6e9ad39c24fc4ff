package spec

import (
	_ "embed" // for the introduction
	"fmt"
	"strings"
)

//go:embed reference/intro.md
var introText string

// Reference writes docs/directives.md.
func Reference() string {
	var b strings.Builder
	b.WriteString(introText)
	b.WriteString("\n| directive | argument | default | what it says |\n|---|---|---|---|\n")
	for _, def := range directiveTable {
		fmt.Fprintf(&b, "| [`%[1]s`](#%[1]s) | `%[2]s` | %[3]s | %[4]s |\n", def.Name, strings.ReplaceAll(def.Args, "|", `\|`), def.Default, def.Doc)
	}
	for _, def := range directiveTable {
		fmt.Fprintf(&b, "\n## %[1]s\n\n    //idem:%[1]s %[2]s\n\nDefault: %[3]s. For example `//idem:%[1]s %[4]s`.\n\n%[5]s",
			def.Name, def.Args, def.Default, def.Example, def.Long)
	}
	return b.String()
}

// verbReference is the table of verbs.
func verbReference() string {
	var b strings.Builder
	b.WriteString("\n| verb | of | in the key or the fingerprint |\n|---|---|---|\n")
	for _, v := range verbTable {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.name, v.takes, v.makes)
	}
	return b.String() + "\n"
}
