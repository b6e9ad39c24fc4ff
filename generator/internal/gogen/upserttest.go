package gogen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// upsertTest is an upsert with the names of the variables of its race test.
type upsertTest struct {
	*spec.Upsert
	*upsertNames
	out                   *output
	t, ctx, db, rows, nth string
}

func newUpsertTest(out *output, u *spec.Upsert, names *upsertNames) *upsertTest {
	w := &upsertTest{Upsert: u, upsertNames: names, out: out}
	scope := out.imports.variables()
	scope.reserve(u.Type)
	scope.reserve(names.all()...)
	w.t, w.ctx, w.db = scope.take("t", "tb"), scope.take("ctx", "callerCtx"), scope.take("db", "database")
	w.rows, w.nth = scope.take("rows", "given"), scope.take("n", "nth")
	return w
}

// upsertDecls declares the race tests of a file's upserts.
func (r raceTest) upsertDecls(out *output, src *spec.File, names *declarations) []jen.Code {
	var decls []jen.Code
	for _, u := range src.Upserts {
		decls = append(decls, r.upsertDecl(newUpsertTest(out, u, names.upserts[u])))
	}
	return decls
}

func (r raceTest) upsertDecl(w *upsertTest) jen.Code {
	idemtest := w.out.imports.of(idemtestPath)
	var databases []jen.Code
	for _, d := range r.config.Dialects {
		databases = append(databases, r.upsertDatabase(w, d))
	}
	typ := idemtest + ".UpsertSuite[" + w.Type + "]"
	suite := braces([]jen.Code{
		// Table: "recipients",
		jen.Id("Table: " + strconv.Quote(w.Table)),
		// Row: recipientRow,
		jen.Id("Row: " + w.row),
		// Create: recipientTable,
		jen.Id("Create: " + w.create),
		// Databases: []idemtest.UpsertDatabase[Recipient]{{...}},
		jen.Id("Databases: []" + idemtest + ".UpsertDatabase[" + w.Type + "]").Add(braces(databases)),
	})
	param := field{w.t, "*" + w.out.imports.of("testing") + ".T"}
	// func TestUpsertRecipients(t *testing.T) {
	//	idemtest.RaceUpsert(t, idemtest.UpsertSuite[Recipient]{...})
	// }
	return signature("func", "", w.test, []field{param}, "").Block(
		jen.Id(idemtest).Dot("RaceUpsert").Call(jen.Id(w.t), jen.Id(typ).Add(suite)),
	)
}

// upsertDatabase says where the rows go in a dialect, and by which function.
func (r raceTest) upsertDatabase(w *upsertTest, d spec.Dialect) jen.Code {
	pkg, sql := w.out.imports.of(testPackages[d].path), r.upserts.sql(d, w.Upsert)
	var files []string
	for _, file := range sql.Migrations {
		files = append(files, strconv.Quote(relative(w.File.Package.Dir, file)))
	}
	_, many := w.Funcs(d, r.config.Dialects)
	db := w.db + ".SQL()"
	if d == spec.Postgres {
		db = pkg + ".Pool(" + w.db + ")"
	}
	fields := []field{{w.ctx, w.out.imports.of("context") + ".Context"}, {w.db, w.out.imports.of(idemtestPath) + ".DB"}, {w.rows, "[]" + w.Type}}
	// func(ctx context.Context, db idemtest.DB, rows []Recipient) (upsert.Counts, error) {
	//	return UpsertRecipients(ctx, pgtest.Pool(db), rows)
	// }
	upsert := signature("\t\t\t\tUpsert: func", "", "", fields, "("+w.out.imports.of(upsertPath)+".Counts, error)").Block(
		jen.Return(jen.Id(fmt.Sprintf("%s(%s, %s, %s)", many, w.ctx, db, w.rows))),
	)
	return braces([]jen.Code{
		// Open: pgtest.Open(pgtest.Config{}),
		jen.Id(fmt.Sprintf("Open: %s.Open(%s.Config{})", pkg, pkg)),
		// Index: "recipients_by_list_id_phone",
		jen.Id("Index: " + strconv.Quote(sql.Index)),
		// Migrations: []string{"../migrations/0002_idemgen_recipients_by_list_id_phone.up.sql"},
		jen.Id("Migrations: []string").Add(literal("\t\t\t\tMigrations: []string", files)),
		jen.Id("Upsert: ").Add(upsert),
	})
}

// upsertFixture writes what the race test of an upsert cannot know by itself.
func (r raceTest) upsertFixture(u *spec.Upsert) emitter {
	return func(src *spec.File, names *declarations) (File, error) {
		pkg := names.packages[src.Package.Path]
		ours := []wish{{path: "fmt", name: "fmt"}, {path: "testing", name: "testing"}, {path: "time", name: "time"}, {path: idemtestPath, name: "idemtest"}}
		var users []wish
		for _, c := range u.Columns {
			users = wishes(users, c.Type)
		}
		out := &output{pkg: pkg, imports: newImports(pkg, ours, users)}
		w := newUpsertTest(out, u, names.upserts[u])
		var decls []jen.Code
		if !w.given[w.row] {
			decls = append(decls, w.rowDecl())
		}
		if !w.given[w.create] {
			decls = append(decls, w.createDecl())
		}
		first := "// This file is yours: idemgen wrote it once and leaves it alone from now on."
		file, err := out.render(w.fixture, first, src.Constraint, decls)
		file.Once = true
		return file, err
	}
}

// rowDecl declares the maker of the n-th row.
func (w *upsertTest) rowDecl() jen.Code {
	scope := w.out.imports.variables()
	scope.reserve(w.Type, w.nth)
	row := scope.take("row", "one")
	body := []jen.Code{jen.Var().Id(row).Id(w.Type)}
	for _, c := range w.Columns {
		for _, line := range w.sample(c, row+"."+c.Path) {
			// row.Phone = fmt.Sprintf("phone-%d", n)
			body = append(body, jen.Id(line))
		}
	}
	body = append(body, jen.Return(jen.Id(row)))
	// recipientRow returns the n-th row of a file: the same n gives the same values, another n another key.
	decl := above("%s returns the n-th row of a file: the same n gives the same values, another n another %s.", w.row, strings.Join(w.By, " and "))
	// func recipientRow(n int) Recipient {
	return decl.Add(signature("func", "", w.row, []field{{w.nth, "int"}}, w.Type)).Block(body...)
}

// createDecl declares the maker of the table.
func (w *upsertTest) createDecl() jen.Code {
	// recipientTable makes the table recipients ...
	decl := above("%s makes the table %s in the database of a test. What is here is a guess from the fields of %s: run your own migrations instead, "+
		"so that the tests see your columns, constraints and triggers. The unique index of the upsert is made after it, unless they make it.", w.create, w.Table, w.Type)
	fields := []field{{w.t, w.out.imports.of("testing") + ".TB"}, {w.db, w.out.imports.of(idemtestPath) + ".DB"}}
	var body []jen.Code
	if schema, _, ok := strings.Cut(w.Table, "."); ok {
		// db.Exec(t, "CREATE SCHEMA crm")
		body = append(body, jen.Id(fmt.Sprintf("%s.Exec(%s, %s)", w.db, w.t, rawText("CREATE SCHEMA "+w.quoted(schema)))))
	}
	// db.Exec(t, `CREATE TABLE recipients (...)`)
	body = append(body, jen.Id(fmt.Sprintf("%s.Exec(%s, %s)", w.db, w.t, rawText(w.createTable()))))
	return decl.Add(signature("func", "", w.create, fields, "")).Block(body...)
}

// createTable is a table that has room for the rows.
func (w *upsertTest) createTable() string {
	var columns []string
	for _, c := range w.Columns {
		typ := c.SQLType
		if c.Cast != "" {
			typ = c.Cast
		}
		line := "\t\t" + w.quoted(c.Name) + " " + typ
		if !c.Nullable {
			line += " NOT NULL"
		}
		columns = append(columns, line)
	}
	return "CREATE TABLE " + w.quoted(w.Table) + " (\n" + strings.Join(columns, ",\n") + "\n\t)"
}

// quoted is a name in double quotes, which both dialects take.
func (w *upsertTest) quoted(name string) string {
	words := strings.Split(name, ".")
	for i, word := range words {
		words[i] = `"` + word + `"`
	}
	return strings.Join(words, ".")
}
