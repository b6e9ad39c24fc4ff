package gogen

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// example returns, as the lines of a comment, a body for the function that
// runs the handler against the developer's table.
func (f *fixture) example(typ string) []string {
	e := f.effect()
	lines := []string{"// This needs the imports " + f.exampleImports(e) + "."}
	if e.guessed {
		lines = append(lines, "// Replace the columns by those of "+e.table+" that tell which rows are of one event.")
	}
	lines = append(lines,
		fmt.Sprintf("%s.Exec(%s, `CREATE TABLE %s (%s)`)", f.db, f.t, e.table, e.definitions()),
		"return &"+typ+"{",
		"\tHandle: func("+f.ctx+" "+f.out.imports.name["context"]+".Context, "+f.n+" int) ("+f.result+", error) {",
	)
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

// exampleImports lists the packages that the example names, whether the file
// imports them already or not.
func (f *fixture) exampleImports(e effect) string {
	paths := []string{"context"}
	for _, p := range []string{"fmt", "time"} {
		call := f.out.imports.name[p] + "."
		if slices.ContainsFunc(e.values(), func(v string) bool { return strings.HasPrefix(strings.TrimPrefix(v, "(*"), call) }) {
			paths = append(paths, p)
		}
	}
	if slices.ContainsFunc(f.Params, ofRun) {
		paths = append(paths, runtimePath)
	}
	if i := f.txParam(); i >= 0 {
		for _, w := range wishes(nil, f.Params[i].Type) {
			if w.path != f.out.imports.self && !slices.Contains(paths, w.path) {
				paths = append(paths, w.path)
			}
		}
	}
	for i, p := range paths {
		paths[i] = importText(f.out.imports.name[p], p)
	}
	return strings.Join(paths, ", ")
}

// importText is an import as a file has it.
func importText(name, p string) string {
	if name == path.Base(unversioned(p)) {
		return strconv.Quote(p)
	}
	return name + " " + strconv.Quote(p)
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
		case spec.TxParam:
			// idemtest.Tx[pgx.Tx](ctx)
			args[i] = f.out.imports.name[idemtestPath] + ".Tx[" + f.out.imports.peek(p.Type) + "](" + f.ctx + ")"
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
	values := strings.Join(e.values(), ", ")
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
