package sqlgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Upsert returns the statements of an upsert in a dialect: on Postgres one, and
// on SQLite what updates the rows that are there, which may be empty, and what
// inserts the others.
func Upsert(d spec.Dialect, u *spec.Upsert) []string {
	s := upsertStatement{Upsert: u, key: keyOf(d, u), dialect: d}
	if d == spec.Postgres {
		return []string{s.postgres()}
	}
	return []string{s.update(), s.insert()}
}

// Index returns the name of an upsert's unique index.
func Index(d spec.Dialect, u *spec.Upsert) string { return keyOf(d, u).Index() }

type upsertStatement struct {
	*spec.Upsert
	key     naturalKey
	dialect spec.Dialect
}

// each says something of columns, with commas or ANDs between.
func (s upsertStatement) each(columns []spec.Column, separator string, say func(name string, c spec.Column) string) string {
	var list []string
	for _, c := range columns {
		list = append(list, say(quote(s.dialect, c.Name), c))
	}
	return strings.Join(list, separator)
}

func (s upsertStatement) names() string {
	return s.each(s.Columns, ", ", func(name string, _ spec.Column) string { return name })
}

// replan has Postgres plan a prepared statement for its parameters each time: a
// plan that is kept from when the table was nearly empty scans it. It is true,
// and dear for whoever does not know the parameters. Its comment is for those who
// review the output.
const replan = "/* always true, and has Postgres plan for the rows at hand */ ($1 IS NOT NULL OR (SELECT count(*) FROM generate_series(1, 1000000000)) > 0)"

// postgres looks first which rows are there as they should be, and leaves them
// alone: a row that DO UPDATE finds equal is locked, which is written, too.
func (s upsertStatement) postgres() string {
	where := []string{replan}
	if look := s.changed(); look != "" {
		where = append(where, look)
	}
	lines := []string{
		fmt.Sprintf("INSERT INTO %s AS stored (%s)", s.key.Table(), s.names()),
		"SELECT " + s.each(s.Columns, ", ", given),
		fmt.Sprintf("FROM unnest(%s) WITH ORDINALITY AS given (%s, %s)", s.arrays(), s.names(), s.ordinal()),
		"WHERE " + strings.Join(where, "\n\tAND "),
		"ORDER BY given." + s.ordinal(),
		fmt.Sprintf("ON CONFLICT (%s) DO %s", s.key.Target(), s.conflict()),
		"RETURNING xmax = 0",
	}
	return strings.Join(lines, "\n")
}

// given is a value that is to be written.
func given(name string, c spec.Column) string {
	if c.Cast != "" {
		return "given." + name + "::" + c.Cast
	}
	return "given." + name
}

func (s upsertStatement) arrays() string {
	n := 0
	return s.each(s.Columns, ", ", func(_ string, c spec.Column) string {
		n++
		return fmt.Sprintf("$%d::%s[]", n, c.SQLType)
	})
}

// ordinal is a name that no column has.
func (s upsertStatement) ordinal() string {
	name := "nth"
	for slices.ContainsFunc(s.Columns, func(c spec.Column) bool { return c.Name == name }) {
		name += "_"
	}
	return name
}

// changed is the condition that the row is not there as it should be. A key that
// may have NULLs that are the same finds no index, and is not looked for.
func (s upsertStatement) changed() string {
	if s.key.Same() {
		return ""
	}
	conditions := []string{s.each(s.Key(), " AND ", func(name string, c spec.Column) string { return "same." + name + " = " + given(name, c) })}
	if s.Version != "" {
		conditions = append(conditions, fmt.Sprintf("same.%[1]s >= given.%[1]s", quote(s.dialect, s.Version)))
	} else {
		for _, c := range s.Rest() {
			conditions = append(conditions, sameValue(quote(s.dialect, c.Name), c))
		}
	}
	return fmt.Sprintf("NOT EXISTS (\n\t\tSELECT FROM %s AS same\n\t\tWHERE %s\n\t)", s.key.Table(), strings.Join(conditions, "\n\t\t\tAND "))
}

// sameValue is a condition that holds only of values that stay what they are
// when they are written. As texts they are compared to the last digit and letter,
// whatever the column's type takes for equal.
func sameValue(name string, c spec.Column) string {
	switch {
	case c.Cast != "":
		return fmt.Sprintf("same.%[1]s::text IS NOT DISTINCT FROM %[2]s::text", name, given(name, c))
	case c.Kind == spec.ColumnOrdered && c.Basic == "string":
		return fmt.Sprintf("same.%[1]s::text IS NOT DISTINCT FROM given.%[1]s", name)
	case c.Kind == spec.ColumnFloat, c.Kind == spec.ColumnJSON, c.Kind == spec.ColumnValuer:
		return fmt.Sprintf("same.%[1]s::text IS NOT DISTINCT FROM given.%[1]s::text", name)
	}
	return fmt.Sprintf("same.%[1]s IS NOT DISTINCT FROM given.%[1]s", name)
}

// conflict is what becomes of a row that is there. Records are compared as they
// are stored: *<> knows no two values that are equal and differ.
func (s upsertStatement) conflict() string {
	if len(s.Rest()) == 0 {
		return "NOTHING"
	}
	differs := fmt.Sprintf("ROW(%s)::record *<> ROW(%s)::record",
		s.each(s.Rest(), ", ", func(name string, _ spec.Column) string { return "stored." + name }),
		s.each(s.Rest(), ", ", func(name string, _ spec.Column) string { return "excluded." + name }))
	return s.set("excluded", differs)
}

// set updates a row from another one, if that is newer or has other values.
func (s upsertStatement) set(from, changed string) string {
	if s.Version != "" {
		changed = fmt.Sprintf("stored.%[1]s < %[2]s.%[1]s OR stored.%[1]s IS NULL", quote(s.dialect, s.Version), from)
	}
	return fmt.Sprintf("UPDATE SET %s\nWHERE %s", s.assignments(from), changed)
}

func (s upsertStatement) assignments(from string) string {
	return s.each(s.Rest(), ", ", func(name string, _ spec.Column) string { return name + " = " + from + "." + name })
}

// differs is the condition that a row of SQLite has other values.
func (s upsertStatement) differs(from string) string {
	return s.each(s.Rest(), " OR ", func(name string, _ spec.Column) string { return "stored." + name + " IS NOT " + from + "." + name })
}

// update changes the rows of SQLite that are there.
func (s upsertStatement) update() string {
	if len(s.Rest()) == 0 {
		return ""
	}
	changed := s.differs("given")
	if s.Version != "" {
		changed = fmt.Sprintf("stored.%[1]s < given.%[1]s OR stored.%[1]s IS NULL", quote(s.dialect, s.Version))
	}
	return strings.Join([]string{
		fmt.Sprintf("WITH given (%s) AS (VALUES {rows})", s.names()),
		fmt.Sprintf("UPDATE %s AS stored SET %s", s.key.Table(), s.assignments("given")),
		fmt.Sprintf("FROM given WHERE %s AND (%s)", s.found(), changed),
	}, "\n")
}

// found is the condition that a row of SQLite has the key.
func (s upsertStatement) found() string {
	return s.key.join(" AND ", func(column string, same bool) string {
		if same {
			return fmt.Sprintf("(stored.%[1]s IS NULL) = (given.%[1]s IS NULL) AND coalesce(stored.%[1]s, '') = coalesce(given.%[1]s, '')", column)
		}
		return fmt.Sprintf("stored.%[1]s = given.%[1]s", column)
	})
}

// insert writes the rows that are not there, and finds the others as they should
// be.
func (s upsertStatement) insert() string {
	conflict := "NOTHING"
	if len(s.Rest()) > 0 {
		conflict = s.set("excluded", s.differs("excluded"))
	}
	return fmt.Sprintf("INSERT INTO %s AS stored (%s) VALUES {rows}\nON CONFLICT (%s) DO %s", s.key.Table(), s.names(), s.key.Target(), conflict)
}
