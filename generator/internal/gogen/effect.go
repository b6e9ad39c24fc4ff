package gogen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// effect says which rows of the developer's table stand for one delivery.
type effect struct {
	table   string
	columns []effectColumn
	guessed bool // nothing says what the table's columns are
}

// effectColumn is a column, and what a delivery has in it.
type effectColumn struct{ name, typ, value string }

func (f *fixture) effect() effect {
	parts := slices.DeleteFunc(slices.Clone(f.Key.Parts), func(p spec.KeyPart) bool { return p.Text == "" })
	e := effect{table: "your_table"}
	var names []string
	if f.Audit != nil {
		e.table = f.Audit.Table
		names, parts = auditedParts(f.Audit.Columns, parts)
		e.guessed = names == nil
	}
	if names == nil {
		for _, p := range parts {
			names = append(names, spec.Snake(strings.ReplaceAll(p.Text, ".", "_")))
		}
	}
	// A part that may be absent is no value to look for.
	some := slices.ContainsFunc(parts, func(p spec.KeyPart) bool { return !p.Optional })
	for i, p := range parts {
		there := slices.ContainsFunc(e.columns, func(c effectColumn) bool { return c.name == names[i] })
		if names[i] != "" && !there && (!p.Optional || !some) {
			e.columns = append(e.columns, effectColumn{names[i], columnType(p), f.columnValue(p)})
		}
	}
	return e
}

// auditedParts returns the audit's columns with the placeholders whose values
// they hold: by their names, or in the order in which both are written. There
// are no columns where neither says it.
func auditedParts(columns []string, parts []spec.KeyPart) ([]string, []spec.KeyPart) {
	var names []string
	var named []spec.KeyPart
	for _, column := range columns {
		i := slices.IndexFunc(parts, func(p spec.KeyPart) bool { return isCalled(column, p) })
		if i >= 0 {
			names, named = append(names, column), append(named, parts[i])
		}
	}
	switch {
	case len(names) < len(columns) && len(columns) == len(parts):
		return columns, parts
	case len(names) == 0:
		return nil, parts
	}
	return names, named
}

// isCalled reports whether a column is called after a placeholder: order_id or
// id for {event.Order.ID}, perhaps with a verb behind it.
func isCalled(column string, p spec.KeyPart) bool {
	for _, own := range p.ColumnNames() {
		if verb, ok := strings.CutPrefix(column, own+"_"); column == own || ok && slices.Contains(p.AllVerbs(), verb) {
			return true
		}
	}
	return false
}

func selectors(p spec.KeyPart) string {
	var b strings.Builder
	for i, implicit := range implicitSteps(p) {
		if !implicit {
			b.WriteString(selector(p.Steps[i]))
		}
	}
	return b.String()
}

// columnValue returns what is in the column of a placeholder, as something
// that every driver takes.
func (f *fixture) columnValue(p spec.KeyPart) string {
	value, clock, format := f.params[p.Param]+selectors(p), f.out.imports.name["time"], f.out.imports.name["fmt"]
	switch {
	case p.Convert && p.Deref:
		// (*time.Time)(event.At)
		return "(*" + clock + ".Time)(" + value + ")"
	case p.Convert:
		// time.Time(event.At)
		return clock + ".Time(" + value + ")"
	case p.Encoder == spec.EncodeBytes, p.Encoder == spec.EncodeByteArray:
		// fmt.Sprintf("%x", event.UUID)
		return format + `.Sprintf("%x", ` + pointed(p) + value + ")"
	case p.Encoder == spec.EncodeText, p.Encoder == spec.EncodeStringer:
		// fmt.Sprint(event.Code)
		return format + ".Sprint(" + pointed(p) + value + ")"
	}
	return value
}

// pointed makes a leaf what the methods of its type are for.
func pointed(p spec.KeyPart) string {
	switch {
	case p.AddrOf && !p.Deref:
		return "&"
	case p.Deref && !p.AddrOf:
		return "*"
	}
	return ""
}

// columnType returns a type that every dialect has.
func columnType(p spec.KeyPart) string {
	switch {
	case timed(p):
		return "timestamp"
	case p.Encoder == spec.EncodeInt, p.Encoder == spec.EncodeUint:
		return "bigint"
	case p.Encoder == spec.EncodeBool:
		return "boolean"
	}
	return "text"
}

// values are those of the columns.
func (e effect) values() []string {
	list := make([]string, len(e.columns))
	for i, c := range e.columns {
		list[i] = c.value
	}
	return list
}

func (e effect) definitions() string {
	list := make([]string, len(e.columns))
	for i, c := range e.columns {
		list[i] = c.name + " " + c.typ
	}
	return strings.Join(list, ", ")
}

func (e effect) where() string {
	conditions := make([]string, len(e.columns))
	for i, c := range e.columns {
		conditions[i] = fmt.Sprintf("%s = $%d", c.name, i+1)
	}
	return strings.Join(conditions, " AND ")
}
