package spec

import (
	"fmt"
	"strings"
)

// Help is the reference in short, for a terminal.
func Help() string {
	var b strings.Builder
	b.WriteString("Directives stand above a function, //idem:NAME ARGUMENT, or as fields of a handler\nin idemgen.yaml, NAME: ARGUMENT.\n")
	for _, def := range directiveTable {
		fmt.Fprintf(&b, "\n  %s %s\n        %s\n        default: %s\n", def.Name, def.Args, Plain(def.Doc), Plain(def.Default))
	}
	b.WriteString("\nVerbs stand behind the path of a placeholder, {event.At|date}.\n\n")
	for _, v := range verbTable {
		fmt.Fprintf(&b, "  %-6s of %s: %s\n", v.name, Plain(v.takes), Plain(v.makes))
	}
	return b.String()
}

// Plain is Markdown without its marks.
func Plain(text string) string { return strings.ReplaceAll(text, "`", "") }
