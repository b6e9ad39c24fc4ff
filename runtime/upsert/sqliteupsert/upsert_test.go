package sqliteupsert_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/upsert"
	"github.com/idemgen/idemgen/runtime/upsert/sqliteupsert"
)

// Of a table with many columns fewer rows go into a statement: it has no more
// parameters than SQLite takes.
func TestManyColumns(t *testing.T) {
	const width, rows = 200, 400
	var columns []string
	for c := range width {
		columns = append(columns, fmt.Sprintf("c%d", c))
	}
	names := strings.Join(columns, ", ")
	db := sqlitetest.Open(sqlitetest.Config{})(t)
	db.Exec(t, "CREATE TABLE wide ("+names+", UNIQUE (c0))")
	table := sqliteupsert.Table[int]{
		Name:   "wide",
		Order:  upsert.Order[int]{Key: func(a, b *int) int { return cmp.Compare(*a, *b) }},
		Update: "WITH given (" + names + ") AS (VALUES {rows}) UPDATE wide AS stored SET c1 = given.c1 FROM given WHERE stored.c0 = given.c0 AND stored.c1 IS NOT given.c1",
		Insert: "INSERT INTO wide (" + names + ") VALUES {rows} ON CONFLICT (c0) DO UPDATE SET c1 = excluded.c1 WHERE c1 IS NOT excluded.c1",
		Values: func(row *int) []any {
			values := make([]any, width)
			for c := range values {
				values[c] = *row
			}
			return values
		},
	}
	list := make([]int, rows)
	for n := range list {
		list[n] = n
	}
	for _, want := range []upsert.Counts{{Inserted: rows}, {Unchanged: rows}} {
		if got, err := table.Upsert(t.Context(), db.SQL(), list); err != nil || got != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
}
