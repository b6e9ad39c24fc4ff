package gogen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// example returns, as the lines of a comment, a body for the function that
// runs the handler against the developer's table.
func (f *fixture) example(typ string) []string {
	e := f.effect()
	lines := []string{
		fmt.Sprintf("%s.Exec(%s, `CREATE TABLE %s (%s)`)", f.db, f.t, e.table, e.definitions()),
		"return &" + typ + "{",
		"\tHandle: func(" + f.ctx + " " + f.out.imports.name["context"] + ".Context, " + f.n + " int) (" + f.result + ", error) {",
	}
	for _, line := range f.exampleCall() {
		lines = append(lines, "\t\t"+line)
	}
	lines = append(lines,
		"\t},",
		"\tEffects: func("+f.n+" int) int {",
		"\t\t"+f.argsText(f.n, f.keyed()),
	)
	lines = append(lines, f.exampleCount(e)...)
	lines = append(lines, "\t},", "}")
	comments := []string{"// " + f.db + ".SQL() is the database, for the clients of " + f.title() + ". For example:", "//"}
	for _, line := range lines {
		comments = append(comments, "//\t"+harmless(line))
	}
	return comments
}

// exampleCall calls the handler with the n-th arguments.
func (f *fixture) exampleCall() []string {
	lines := []string{f.argsText(f.n, f.passed())}
	declare := func(line string) {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	name := f.Func
	if f.Recv != nil {
		recv := f.scope.inner().take(spec.LowerFirst(f.Recv.Type), "receiver")
		declare("var " + recv + " " + f.Recv.Type)
		name = recv + "." + f.Func
	}
	idem := f.out.imports.name[runtimePath]
	args := make([]string, len(f.Params))
	for i, p := range f.Params {
		switch p.Kind {
		case spec.ContextParam:
			args[i] = f.ctx
		case spec.KeyParam:
			declare(f.key + ", _ := " + idem + ".KeyFromContext(" + f.ctx + ")")
			args[i] = f.key
		case spec.DeliveryParam:
			declare(f.delivery + ", _ := " + idem + ".DeliveryFromContext(" + f.ctx + ")")
			args[i] = f.delivery
		default:
			args[i] = f.arg(i)
		}
	}
	call := name + "(" + strings.Join(args, ", ") + ")"
	if f.Result == nil {
		call = "struct{}{}, " + call
	}
	return append(lines, "return "+call)
}

// exampleCount counts the rows of one delivery.
func (f *fixture) exampleCount(e effect) []string {
	query := fmt.Sprintf("`SELECT count(*) FROM %s WHERE %s`", e.table, e.where())
	values := strings.Join(e.values, ", ")
	line := fmt.Sprintf("\t\treturn %s.Count(%s, %s, %s)", f.db, f.t, query, values)
	if columns(line) <= codeColumns {
		return []string{line}
	}
	return []string{
		"\t\treturn " + f.db + ".Count(" + f.t + ",",
		"\t\t\t" + query + ",",
		"\t\t\t" + values + ",",
		"\t\t)",
	}
}

// effect says which rows of the developer's table stand for one delivery.
type effect struct {
	table   string
	columns []string
	types   []string // of the columns
	values  []string
}

func (f *fixture) effect() effect {
	e := effect{table: "your_table"}
	for _, p := range f.Key.Parts {
		column := spec.Snake(strings.ReplaceAll(p.Text, ".", "_"))
		if column == "" || slices.Contains(e.columns, column) {
			continue
		}
		e.columns = append(e.columns, column)
		e.types = append(e.types, columnType(p))
		e.values = append(e.values, f.columnValue(p))
	}
	if f.Audit != nil {
		e.table, e.columns = f.Audit.Table, f.Audit.Columns
	}
	if len(e.columns) != len(e.values) {
		// Which value goes to which column is not said anywhere.
		e.values, e.types = e.columns, slices.Repeat([]string{"text"}, len(e.columns))
	}
	return e
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

// columnValue returns what is in the column of a placeholder.
func (f *fixture) columnValue(p spec.KeyPart) string {
	value, clock := f.params[p.Param]+selectors(p), f.out.imports.name["time"]
	switch {
	case p.Convert && p.Deref:
		// (*time.Time)(event.At)
		return "(*" + clock + ".Time)(" + value + ")"
	case p.Convert:
		// time.Time(event.At)
		return clock + ".Time(" + value + ")"
	}
	return value
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

func (e effect) definitions() string {
	list := make([]string, len(e.columns))
	for i, column := range e.columns {
		list[i] = column + " " + e.types[i]
	}
	return strings.Join(list, ", ")
}

func (e effect) where() string {
	conditions := make([]string, len(e.columns))
	for i, column := range e.columns {
		conditions[i] = fmt.Sprintf("%s = $%d", column, i+1)
	}
	return strings.Join(conditions, " AND ")
}
