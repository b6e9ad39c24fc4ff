package load

import (
	_ "embed" // for the text around the tables
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

var (
	//go:embed reference/configuration.md
	configurationText string
	//go:embed reference/handlers.md
	handlersText string
	//go:embed reference/upserts.md
	upsertsText string
)

// ConfigReference writes docs/configuration.md.
func ConfigReference() string {
	d := newConfigReader(nil)
	var b strings.Builder
	b.WriteString(configurationText)
	b.WriteString("\n## All keys\n\n| key | value | without it | what it says |\n|---|---|---|---|\n")
	fieldRows(&b, "", d.top())
	b.WriteString("\n" + handlersText)
	b.WriteString("\n| key | value | without it | what it says |\n|---|---|---|---|\n")
	fieldRows(&b, "", d.handlerFields(&spec.Declaration{}))
	b.WriteString("\n" + upsertsText)
	b.WriteString("\n| key | value | without it | what it says |\n|---|---|---|---|\n")
	fieldRows(&b, "", d.upsertFields(&spec.UpsertDeclaration{}))
	return b.String()
}

func fieldRows(b *strings.Builder, within string, fields []field) {
	for _, f := range fields {
		name := within + f.Name
		if f.fields != nil {
			fieldRows(b, name+".", f.fields)
			continue
		}
		value := "`" + strings.ReplaceAll(f.Args, "|", `\|`) + "`"
		if f.Many {
			value += ", or a list"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, value, f.Default, f.Doc)
	}
}
