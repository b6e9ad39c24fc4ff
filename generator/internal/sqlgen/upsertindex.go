package sqlgen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/templates"
)

// upsertIndex names the need of the unique index of an upsert, in its first
// version. The columns follow, those with a question mark that may be NULL and
// are the same then.
const upsertIndex = "upsert/1:"

// nullsSame marks a column of a key in a need's name.
const nullsSame = "?"

// indexNeed is what the migration of an upsert is there for.
func indexNeed(d spec.Dialect, u *spec.Upsert) need {
	var columns []string
	for _, c := range u.Key() {
		name := c.Name
		if c.Nullable && u.Nulls == spec.NullsSame {
			name += nullsSame
		}
		columns = append(columns, name)
	}
	return need{dialect: d, name: upsertIndex + strings.Join(columns, ","), table: u.Table}
}

// naturalKey is the key of an upsert, as statements have it.
type naturalKey struct {
	table   templates.Table
	dialect spec.Dialect
	columns []keyName
	// nullable are the columns that may be NULL, and are not the same then.
	nullable []string
}

// keyName is a column of a natural key.
type keyName struct {
	name string
	same bool // it may be NULL, and is the same then
}

// key takes a need's name apart, and reports whether it is that of an upsert.
func (n need) key() (naturalKey, bool) {
	columns, ok := strings.CutPrefix(n.name, upsertIndex)
	table, err := templates.ParseTable(n.table)
	if !ok || err != nil {
		return naturalKey{}, false
	}
	k := naturalKey{table: table, dialect: n.dialect}
	for _, column := range strings.Split(columns, ",") {
		name, same := strings.CutSuffix(column, nullsSame)
		if spec.CheckColumn(name) != nil {
			return naturalKey{}, false
		}
		k.columns = append(k.columns, keyName{name, same})
	}
	return k, true
}

// Table is the table's name as statements have it.
func (k naturalKey) Table() string { return quote(k.dialect, k.table.Table()) }

// Schema is that of the table, with a dot, or empty.
func (k naturalKey) Schema() string { return quote(k.dialect, k.table.Schema) }

// Piece is what the key consists of, in words.
func (k naturalKey) Piece() string {
	var names []string
	for _, c := range k.columns {
		names = append(names, c.name)
	}
	return strings.Join(names, " and ")
}

// join puts what is said of each column between separators.
func (k naturalKey) join(separator string, say func(column string, same bool) string) string {
	var list []string
	for _, c := range k.columns {
		list = append(list, say(quote(k.dialect, c.name), c.same))
	}
	return strings.Join(list, separator)
}

// Names lists the columns.
func (k naturalKey) Names() string {
	return k.join(", ", func(column string, _ bool) string { return column })
}

// AnyNull is a condition on a row.
func (k naturalKey) AnyNull() string {
	return k.join(" OR ", func(column string, _ bool) string { return column + " IS NULL" })
}

// NotNull is the condition that a row has no NULL that is equal to nothing;
// empty where none may have.
func (k naturalKey) NotNull() string {
	var list []string
	for _, name := range k.nullable {
		list = append(list, quote(k.dialect, name)+" IS NOT NULL")
	}
	return strings.Join(list, " AND ")
}

// Same reports whether NULL is equal to NULL in the index.
func (k naturalKey) Same() bool {
	return slices.ContainsFunc(k.columns, func(c keyName) bool { return c.same })
}

// Target is what the index is on, and what ON CONFLICT names. SQLite takes NULL
// for equal to nothing, but not what is made of it.
func (k naturalKey) Target() string {
	return k.join(", ", func(column string, same bool) string {
		if same && k.dialect == spec.SQLite {
			return fmt.Sprintf("%[1]s IS NULL, coalesce(%[1]s, '')", column)
		}
		return column
	})
}

// Clause is what stands behind the columns of the index on Postgres.
func (k naturalKey) Clause() string {
	if k.Same() {
		return " NULLS NOT DISTINCT"
	}
	return ""
}

// maxIndexName is the length at which Postgres cuts a name off.
const maxIndexName = 63

// Index is the name of the index: recipients_by_list_id_phone. One that is too
// long ends in a hash.
func (k naturalKey) Index() string {
	name := k.table.Name + "_by"
	for _, c := range k.columns {
		name += "_" + c.name
	}
	if k.Same() {
		name += "_nulls"
	}
	if len(name) <= maxIndexName {
		return name
	}
	const digits = 4
	sum := sha256.Sum256([]byte(name))
	end := "_" + hex.EncodeToString(sum[:digits])
	return strings.TrimRight(name[:maxIndexName-len(end)], "_") + end
}

// migration returns the statements that create and drop the index.
func (k naturalKey) migration() (up, down string, err error) {
	text, err := renderSQL(k.dialect, k, "upsert_index.up.sql")
	if err != nil {
		return "", "", err
	}
	down, err = templates.Render(string(k.dialect), "upsert_index.down.sql", k)
	return string(text), down, err
}

// keyOf is the key of an upsert.
func keyOf(d spec.Dialect, u *spec.Upsert) naturalKey {
	k, _ := indexNeed(d, u).key()
	if u.Nulls == spec.NullsDistinct {
		for _, c := range u.Key() {
			if c.Nullable {
				k.nullable = append(k.nullable, c.Name)
			}
		}
	}
	return k
}
