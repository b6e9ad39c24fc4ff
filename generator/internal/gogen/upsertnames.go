package gogen

import (
	"path"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// upsertNames holds the names that an upsert's outputs declare at package level,
// besides the functions, whose names are fixed.
type upsertNames struct {
	tables  map[spec.Dialect]string // recipientUpsert
	test    string                  // TestUpsertRecipients
	row     string                  // recipientRow, in the fixture
	create  string                  // recipientTable, in the fixture
	fixture string                  // path of the fixture, relative to the root
	given   map[string]bool         // those of row and create that a test of the developer's declares
}

func (n *upsertNames) all() []string {
	names := []string{n.test, n.row, n.create}
	for _, table := range n.tables {
		names = append(names, table)
	}
	return names
}

// calledByUpserts are the predeclared functions that upserts call.
var calledByUpserts = []string{"len", "make"}

func (p *packageScope) allocateUpsert(u *spec.Upsert, dialects []spec.Dialect) *upsertNames {
	_, many := u.Funcs(dialects[0], dialects[:1])
	n := &upsertNames{
		tables:  map[spec.Dialect]string{},
		test:    p.take("Test"+spec.UpperFirst(many), nobodys),
		fixture: path.Join(path.Dir(u.File.Path), u.Fixture()),
		given:   map[string]bool{},
	}
	for _, d := range dialects {
		one, _ := u.Funcs(d, dialects)
		// recipientUpsert; recipientUpsertSQLite where there are several
		n.tables[d] = p.take(u.Base()+"Upsert"+strings.TrimPrefix(spec.UpperFirst(one), "Upsert"+spec.UpperFirst(u.Type)), nobodys)
	}
	provides := (&declared{fixture: n.fixture}).provides
	n.row, n.create = p.take(u.Base()+"Row", provides), p.take(u.Base()+"Table", provides)
	for _, name := range []string{n.row, n.create} {
		_, n.given[name] = p.pkg.Names[name]
	}
	return n
}
