package gogen

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

const (
	codeColumns    = 120 // of a line of code that is not broken
	packedColumns  = 100 // of a line in a broken list
	commentColumns = 90
	tabColumns     = 4
)

// comment returns text as comment lines.
func comment(format string, args ...any) []jen.Code {
	var lines []jen.Code
	line := "//"
	for _, word := range strings.Fields(harmless(fmt.Sprintf(format, args...))) {
		if columns(line)+1+columns(word) > commentColumns && line != "//" {
			lines = append(lines, jen.Comment(line))
			line = "//"
		}
		line += " " + word
	}
	return append(lines, jen.Comment(line))
}

// harmless takes out of a text what could end the comment that it is put in,
// or speak to the compiler.
func harmless(text string) string {
	for {
		clean := strings.ReplaceAll(strings.ReplaceAll(text, "*/", ""), "//go:", "")
		if clean == text {
			return strings.NewReplacer("\n", " ", "\r", " ").Replace(clean)
		}
		text = clean
	}
}

// field is a parameter of a function, or a result.
type field struct{ name, typ string }

// fieldTexts writes parameters, neighbours of one type together.
func fieldTexts(fields []field) []string {
	var texts []string
	names := ""
	for i, f := range fields {
		if i+1 < len(fields) && fields[i+1].typ == f.typ {
			names += f.name + ", "
			continue
		}
		texts = append(texts, names+f.name+" "+f.typ)
		names = ""
	}
	return texts
}

// list puts items in parentheses, between the text of its line before and
// after them: on this line if it fits, on several else.
func list(before string, items []string, after string) *jen.Statement {
	line := before + "(" + strings.Join(items, ", ") + ")" + after
	if columns(line) <= codeColumns {
		// (ctx, store, event)
		return jen.Parens(jen.Id(strings.Join(items, ", ")))
	}
	// (
	//	ctx context.Context, store idem.Store, event ShippedEvent,
	//	handle func(context.Context, ShippedEvent) (Receipt, error),
	// )
	var rows []jen.Code
	indent := columns(before[:len(before)-len(strings.TrimLeft(before, "\t"))]) + tabColumns
	for _, row := range pack(items, packedColumns-indent) {
		rows = append(rows, jen.Id(row))
	}
	return jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, rows...)
}

// literal puts the fields of a composite literal in braces, on one line if it
// fits, else each on its own.
func literal(before string, fields []string) *jen.Statement {
	line := strings.Join(fields, ", ")
	if columns(before+"{"+line+"}") <= codeColumns {
		// {Handler: "notify", Lease: 2 * time.Minute, Attempts: 20}
		return jen.Values(jen.Id(line))
	}
	var rows []jen.Code
	for _, f := range fields {
		rows = append(rows, jen.Id(f))
	}
	// {
	//	Handler: "notify",
	//	Lease: 2 * time.Minute,
	// }
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, rows...)
}

// pack joins items into rows. A function type stands in a row of its own.
func pack(items []string, limit int) []string {
	var rows []string
	row := ""
	for _, item := range items {
		switch {
		case row == "":
			row = item
		case columns(row)+2+columns(item) > limit || strings.Contains(item, "func("):
			rows = append(rows, row)
			row = item
		default:
			row += ", " + item
		}
	}
	return append(rows, row)
}

func columns(line string) int {
	return utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
}

// duration writes a duration as people do; pkg is the name of package time.
func duration(d time.Duration, pkg string) string {
	const day = 24 * time.Hour
	switch {
	case d > day && d%day == 0:
		return fmt.Sprintf("%d * 24 * %s.Hour", d/day, pkg)
	case d%time.Hour == 0:
		return times(d/time.Hour, pkg+".Hour")
	case d%time.Minute == 0:
		return times(d/time.Minute, pkg+".Minute")
	case d%time.Second == 0:
		return times(d/time.Second, pkg+".Second")
	case d%time.Millisecond == 0:
		return times(d/time.Millisecond, pkg+".Millisecond")
	case d%time.Microsecond == 0:
		return times(d/time.Microsecond, pkg+".Microsecond")
	}
	return times(d, pkg+".Nanosecond")
}

func times(n time.Duration, unit string) string {
	if n == 1 {
		return unit
	}
	return fmt.Sprintf("%d * %s", n, unit)
}

// zero returns the zero value of a type that is written as text.
func zero(t types.Type, text string) string {
	switch u := t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return text + "{}"
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsNumeric != 0:
			return "0"
		}
	}
	return "nil"
}

// variable returns what a variable of a type is called: receipt for a
// *shop.Receipt, and otherwise for a type that gives no name.
func variable(t types.Type, otherwise string) string {
	name := ""
	switch t := t.(type) {
	case *types.Alias:
		name = spec.LowerFirst(t.Obj().Name())
	case *types.Named:
		name = spec.LowerFirst(t.Obj().Name())
	case *types.Pointer:
		return variable(t.Elem(), otherwise)
	}
	if !token.IsIdentifier(name) || types.Universe.Lookup(name) != nil {
		return otherwise
	}
	return name
}
