package sqlgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// auditColumn is one of the columns that tell rows apart. Where the key has
// the value only after verbs, rows that agree in that are the same.
type auditColumn struct {
	Name     string // quoted where it has to be
	words    string
	value    string // after the verbs; empty if it is the column itself
	position int    // among the query's columns, from 1
	optional bool   // NULL is the key's part that is not there
}

// Shown is the column in the query for duplicates.
func (c auditColumn) Shown() string {
	if c.value == "" {
		return c.column()
	}
	return c.value + " AS " + c.Name
}

// IsNull is a condition on a group.
func (c auditColumn) IsNull() string {
	if c.value == "" {
		return c.column() + " IS NULL"
	}
	return "count(" + c.column() + ") = 0"
}

func (c auditColumn) column() string { return "effect." + c.Name }

// grouped is the column as GROUP BY and ORDER BY have it.
func (c auditColumn) grouped() string {
	if c.value == "" {
		return c.column()
	}
	return fmt.Sprint(c.position)
}

type auditColumns []auditColumn

// join puts what is said of each column between separators.
func (cs auditColumns) join(separator string, say func(auditColumn) string) string {
	var list []string
	for _, c := range cs {
		list = append(list, say(c))
	}
	return strings.Join(list, separator)
}

// Names lists the columns.
func (cs auditColumns) Names() string {
	return cs.join(", ", func(c auditColumn) string { return c.Name })
}

// Piece is what the rows are told apart by, in words.
func (cs auditColumns) Piece() string {
	return cs.join(" and ", func(c auditColumn) string { return c.words })
}

// Grouped lists the columns for GROUP BY and ORDER BY. All queries name the
// table's columns by the table, so that they are taken for nothing else.
func (cs auditColumns) Grouped() string { return cs.join(", ", auditColumn.grouped) }

// setColumns fills in the columns, and which of them hold a part of the key.
func (a *handlerAudit) setColumns(names []string, d spec.Dialect, parts []matched) error {
	for i, name := range names {
		column := auditColumn{Name: quote(d, name), words: name, position: i + 2}
		if at := slices.IndexFunc(parts, func(m matched) bool { return m.column == name }); at >= 0 {
			if err := column.hold(d, parts[at]); err != nil {
				return err
			}
		}
		a.Columns = append(a.Columns, column)
	}
	a.NotNull = slices.DeleteFunc(slices.Clone(a.Columns), func(c auditColumn) bool { return c.optional })
	return nil
}

// hold makes the column one that holds a part of the key. What a hash hides
// tells rows apart as well as the hash.
func (c *auditColumn) hold(d spec.Dialect, m matched) (err error) {
	c.optional = m.part.Optional
	m = m.withoutHash()
	switch {
	case !m.changes():
	case inexact(d, []matched{m}) != "":
		c.words += " as it stands"
	default:
		c.words = m.source()
		c.value, err = m.value(d)
	}
	return err
}
