package gogen

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// sample sets a column of the n-th row. What can be NULL stays so, unless the
// key needs it.
func (w *upsertTest) sample(c spec.Column, field string) []string {
	if c.Nullable && !slices.Contains(w.By, c.Name) {
		return nil
	}
	t := types.Unalias(c.Type)
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	value := w.sampleValue(c)
	if _, basic := t.(*types.Basic); !basic && c.Valid == "" && c.Kind != spec.ColumnTime {
		value = w.out.imports.text(t) + "(" + value + ")"
	}
	switch {
	case c.Pointer:
		// row.Phone = new(string)
		// *row.Phone = fmt.Sprintf("phone-%d", n)
		return []string{field + " = new(" + w.out.imports.text(t) + ")", "*" + field + " = " + value}
	case c.Valid != "":
		// row.Phone.String, row.Phone.Valid = fmt.Sprintf("phone-%d", n), true
		return []string{fmt.Sprintf("%s.%s, %s.Valid = %s, true", field, c.Valid, field, value)}
	}
	// row.Phone = fmt.Sprintf("phone-%d", n)
	return []string{field + " = " + value}
}

// sampleValue is a value of Go's own type that n tells apart.
func (w *upsertTest) sampleValue(c spec.Column) string {
	name := strings.ReplaceAll(c.Name, "_", "-") + "-%d"
	switch c.Kind {
	case spec.ColumnBool:
		return w.nth + "%2 == 0"
	case spec.ColumnBytes:
		return fmt.Sprintf("%s.Appendf(nil, %q, %s)", w.out.imports.of("fmt"), name, w.nth)
	case spec.ColumnTime:
		return fmt.Sprintf("%s.Unix(int64(%s), 0)", w.out.imports.of("time"), w.nth)
	case spec.ColumnUUID:
		return fmt.Sprintf("[16]byte{14: byte(%s >> 8), 15: byte(%s)}", w.nth, w.nth)
	}
	switch c.Basic {
	case "string":
		return fmt.Sprintf("%s.Sprintf(%q, %s)", w.out.imports.of("fmt"), name, w.nth)
	case "int":
		return w.nth
	}
	return c.Basic + "(" + w.nth + ")"
}
