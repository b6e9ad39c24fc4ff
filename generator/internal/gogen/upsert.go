package gogen

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// The packages that upserts call.
const (
	upsertPath       = runtimePath + "/upsert"
	pgupsertPath     = upsertPath + "/pgupsert"
	sqliteupsertPath = upsertPath + "/sqliteupsert"
)

// UpsertSQL is what the Go output has of an upsert's SQL in a dialect.
type UpsertSQL struct {
	Statements []string // on Postgres one; on SQLite the update, which may be empty, and the insert
	Index      string   // the name of the unique index
	Migrations []string // that make it, relative to the root
}

// upsertSQL returns the SQL of an upsert.
type upsertSQL func(spec.Dialect, *spec.Upsert) UpsertSQL

// upserts writes them.
type upserts struct {
	dialects []spec.Dialect
	sql      upsertSQL
}

// decls declares the functions of a file's upserts.
func (us upserts) decls(out *output, src *spec.File, names *declarations) []jen.Code {
	var decls []jen.Code
	for _, u := range src.Upserts {
		for _, d := range us.dialects {
			w := newUpsertWriter(out, u, d, us.sql(d, u))
			w.table = names.upserts[u].tables[d]
			w.one, w.many = u.Funcs(d, us.dialects)
			decls = append(decls, w.tableDecl(), w.oneDecl(), w.manyDecl())
		}
	}
	return decls
}

// upsertWishes are the packages that a file with upserts may import.
func upsertWishes(src *spec.File, dialects []spec.Dialect) (ours, users []wish) {
	if src.Upserts == nil {
		return nil, nil
	}
	ours = []wish{
		{path: "bytes", name: "bytes"}, {path: "cmp", name: "cmp"}, {path: "encoding/json", name: "json"},
		{path: "time", name: "time"}, {path: upsertPath, name: "upsert"},
	}
	if slices.Contains(dialects, spec.Postgres) {
		ours = append(ours, wish{path: pgupsertPath, name: "pgupsert"})
	}
	if slices.Contains(dialects, spec.SQLite) {
		ours = append(ours, wish{path: sqliteupsertPath, name: "sqliteupsert"})
	}
	for _, u := range src.Upserts {
		for _, c := range u.Columns {
			users = wishes(users, c.Type)
		}
	}
	return ours, users
}

// upsertWriter is an upsert in a dialect, with the names of its variables.
type upsertWriter struct {
	*spec.Upsert
	out       *output
	dialect   spec.Dialect
	sql       UpsertSQL
	table     string // recipientUpsert
	one, many string
	pkg       string // pgupsert

	ctx, db, rows, row, i, a, b string
	columns                     []string
}

func newUpsertWriter(out *output, u *spec.Upsert, d spec.Dialect, sql UpsertSQL) *upsertWriter {
	w := &upsertWriter{Upsert: u, out: out, dialect: d, sql: sql}
	path := pgupsertPath
	if d == spec.SQLite {
		path = sqliteupsertPath
	}
	w.pkg = out.imports.of(path)
	scope := out.imports.variables()
	scope.reserve(u.Type, "make", "len")
	w.ctx, w.db = scope.take("ctx", "callerCtx"), scope.take("db", "database")
	w.rows, w.row, w.i = scope.take("rows", "given"), scope.take("row", "one"), scope.take("i", "n")
	w.a, w.b = scope.take("a", "x"), scope.take("b", "y")
	for _, c := range u.Columns {
		name := spec.LowerFirst(c.Path[strings.LastIndex(c.Path, ".")+1:])
		if token.IsKeyword(name) {
			name += "s"
		}
		w.columns = append(w.columns, scope.take(name))
	}
	return w
}

// tableDecl declares how the rows are written.
func (w *upsertWriter) tableDecl() jen.Code {
	fields := []jen.Code{
		// Name: "recipients",
		jen.Id("Name: " + strconv.Quote(w.Table)),
		// Order: upsert.Order[Recipient]{
		//	Key: func(a, b *Recipient) int { ... },
		// },
		jen.Id("Order: " + w.out.imports.of(upsertPath) + ".Order[" + w.Type + "]").Add(w.order()),
	}
	if w.dialect == spec.Postgres {
		// Statement: `INSERT INTO recipients ...`,
		// Columns: func(rows []*Recipient) []any { ... },
		fields = append(fields, jen.Id("Statement: "+rawText(w.sql.Statements[0])), jen.Id("Columns: ").Add(w.arrays()))
	} else {
		if w.sql.Statements[0] != "" {
			fields = append(fields, jen.Id("Update: "+rawText(w.sql.Statements[0])))
		}
		// Insert: `INSERT INTO recipients ...`,
		// Values: func(row *Recipient) []any { ... },
		fields = append(fields, jen.Id("Insert: "+rawText(w.sql.Statements[1])), jen.Id("Values: ").Add(w.values()))
	}
	// recipientUpsert says how rows of recipients are written.
	decl := above("%s says how rows of %s are written.", w.table, w.Table)
	// var recipientUpsert = pgupsert.Table[Recipient]{...}
	return decl.Var().Id(w.table).Op("=").Id(w.pkg + ".Table[" + w.Type + "]").Add(braces(fields))
}

func braces(fields []jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, fields...)
}

// rawText is a text of several lines as Go has it.
func rawText(text string) string {
	if strings.Contains(text, "`") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}

// order says how rows are told apart.
func (w *upsertWriter) order() jen.Code {
	fields := []jen.Code{jen.Id("Key: ").Add(w.compare(w.Key()))}
	if w.Version != "" {
		fields = append(fields, jen.Id("Version: ").Add(w.compare(w.In([]string{w.Version}))))
	}
	if alone := w.alone(); alone != "" {
		// Alone: func(row *Recipient) bool { return row.Phone == nil },
		fields = append(fields, jen.Id(fmt.Sprintf("Alone: func(%s *%s) bool { return %s }", w.row, w.Type, alone)))
	}
	return braces(fields)
}

// compare is a function that compares rows by columns.
func (w *upsertWriter) compare(columns []spec.Column) jen.Code {
	var terms []jen.Code
	for _, c := range columns {
		terms = append(terms, jen.Id(w.compareColumn(c)))
	}
	result := terms[0]
	if len(terms) > 1 {
		// cmp.Or(
		//	cmp.Compare(a.ListID, b.ListID),
		//	cmp.Compare(a.Phone, b.Phone),
		// )
		result = jen.Id(w.out.imports.of("cmp")).Dot("Or").Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, terms...)
	}
	// func(a, b *Recipient) int { ... }
	return jen.Func().Params(jen.Id(w.a + ", " + w.b + " *" + w.Type)).Int().Block(jen.Return(result))
}

// oneDecl declares the function for a row.
func (w *upsertWriter) oneDecl() jen.Code {
	// UpsertRecipient writes a row of recipients: see UpsertRecipients.
	decl := above("%s writes a row of %s: see %s.", w.one, w.Table, w.many)
	return decl.Add(w.signature(w.one, field{w.row, w.Type})).Block(
		// return recipientUpsert.Upsert(ctx, db, []Recipient{row})
		jen.Return(jen.Id(fmt.Sprintf("%s.Upsert(%s, %s, []%s{%s})", w.table, w.ctx, w.db, w.Type, w.row))),
	)
}

// manyDecl declares the function for many rows.
func (w *upsertWriter) manyDecl() jen.Code {
	which, winner := "that have other values", "the last"
	if w.Version != "" {
		which, winner = "whose "+w.Version+" is older", "one of the newest "+w.Version
	}
	if len(w.Rest()) == 0 {
		which = ""
	} else {
		which = ", and updates those " + which
	}
	// UpsertRecipients writes rows of recipients, all or none: ...
	decl := above("%s writes rows of %s, all or none: it inserts those whose key, %s, is not there%s. Of rows that share a key, %s is taken.",
		w.many, w.Table, strings.Join(w.By, " and "), which, winner)
	return decl.Add(w.signature(w.many, field{w.rows, "[]" + w.Type})).Block(
		// return recipientUpsert.Upsert(ctx, db, rows)
		jen.Return(jen.Id(fmt.Sprintf("%s.Upsert(%s, %s, %s)", w.table, w.ctx, w.db, w.rows))),
	)
}

func (w *upsertWriter) signature(name string, last field) *jen.Statement {
	fields := []field{{w.ctx, w.out.imports.of("context") + ".Context"}, {w.db, w.pkg + ".DB"}, last}
	// func UpsertRecipients(ctx context.Context, db pgupsert.DB, rows []Recipient) (upsert.Counts, error) {
	return signature("func", "", name, fields, "("+w.out.imports.of(upsertPath)+".Counts, error)")
}
