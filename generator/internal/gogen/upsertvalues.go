package gogen

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// arrays is the function that returns an array for each column.
func (w *upsertWriter) arrays() jen.Code {
	var makes, sets []jen.Code
	for i, c := range w.Columns {
		elem, value := w.element(c, w.row+"."+c.Path)
		// phone := make([]string, len(rows))
		makes = append(makes, jen.Id(fmt.Sprintf("%s := make([]%s, len(%s))", w.columns[i], elem, w.rows)))
		// phone[i] = string(row.Phone)
		sets = append(sets, jen.Id(fmt.Sprintf("%s[%s] = %s", w.columns[i], w.i, value)))
	}
	makes = append(makes,
		// for i, row := range rows { ... }
		jen.For(jen.Id(w.i+", "+w.row+" := range "+w.rows)).Block(sets...),
		// return []any{listID, phone}
		jen.Return(jen.Index().Any().Add(literal("\t\treturn []any", w.columns))),
	)
	// func(rows []*Recipient) []any { ... }
	return jen.Func().Params(jen.Id(w.rows + " []*" + w.Type)).Index().Any().Block(makes...)
}

// values is the function that returns a row's parameters.
func (w *upsertWriter) values() jen.Code {
	var values []string
	for _, c := range w.Columns {
		values = append(values, w.parameter(c, w.row+"."+c.Path))
	}
	// func(row *Recipient) []any { return []any{row.ListID, string(row.Phone)} }
	return jen.Func().Params(jen.Id(w.row + " *" + w.Type)).Index().Any().Block(
		jen.Return(jen.Index().Any().Add(literal("\t\treturn []any", values))),
	)
}

// element returns the type of a column's array on Postgres, and a field as an
// element of it: of Go's own types, which need no reflection.
func (w *upsertWriter) element(c spec.Column, field string) (elem, value string) {
	switch own := w.own(c); {
	case c.Kind == spec.ColumnUUID && c.Valid != "":
		return w.pkg + ".UUID", field
	case c.Kind == spec.ColumnUUID && c.Pointer:
		return w.pkg + ".UUID", w.pkg + ".UUIDOrNull((*[16]byte)(" + field + "))"
	case c.Kind == spec.ColumnUUID:
		return w.pkg + ".UUID", w.pkg + ".UUIDOf(" + field + ")"
	case c.Kind == spec.ColumnValuer:
		return w.out.imports.text(c.Type), field
	case c.Valid != "":
		// upsert.Pointer(row.Name.String, row.Name.Valid)
		return "*" + own, fmt.Sprintf("%s.Pointer(%s.%s, %s.Valid)", w.out.imports.of(upsertPath), field, c.Valid, field)
	case c.Basic == "uint8" && !c.Pointer:
		return "int16", "int16(" + field + ")" // pgx takes []uint8 for bytes
	default:
		return w.converted(c, field)
	}
}

// own is Go's own type of a column's values.
func (w *upsertWriter) own(c spec.Column) string {
	switch c.Kind {
	case spec.ColumnBytes:
		return "[]byte"
	case spec.ColumnTime:
		return w.out.imports.name["time"] + ".Time"
	case spec.ColumnJSON:
		return w.out.imports.name["encoding/json"] + ".RawMessage"
	}
	return c.Basic
}

// converted is a field as Go's own type, or a pointer to that.
func (w *upsertWriter) converted(c spec.Column, field string) (typ, value string) {
	typ = w.own(c)
	switch c.Kind {
	case spec.ColumnTime:
		typ = w.out.imports.of("time") + ".Time"
	case spec.ColumnJSON:
		typ = w.out.imports.of("encoding/json") + ".RawMessage"
	}
	if c.Pointer {
		typ = "*" + typ
	}
	if w.isOwn(c) {
		return typ, field
	}
	if c.Pointer {
		return typ, "(" + typ + ")(" + field + ")"
	}
	return typ, typ + "(" + field + ")"
}

// isOwn reports whether a field is of Go's own type, and not of one that is
// defined over it.
func (w *upsertWriter) isOwn(c spec.Column) bool {
	t := types.Unalias(c.Type)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	switch c.Kind {
	case spec.ColumnTime, spec.ColumnJSON:
		return true
	case spec.ColumnBytes:
		_, ok := t.(*types.Slice)
		return ok
	}
	_, ok := t.(*types.Basic)
	return ok
}

// parameter is a field as SQLite's drivers take it.
func (w *upsertWriter) parameter(c spec.Column, field string) string {
	upsert := w.out.imports.name[upsertPath]
	switch {
	case c.Kind == spec.ColumnTime && c.Valid != "":
		return fmt.Sprintf("%s.TextOrNil(%s.Pointer(%s.%s, %s.Valid))", upsert, upsert, field, c.Valid, field)
	case c.Kind == spec.ColumnTime && c.Pointer:
		return upsert + ".TextOrNil(" + field + ")"
	case c.Kind == spec.ColumnTime:
		return upsert + ".Text(" + field + ")"
	case c.Kind == spec.ColumnJSON:
		return upsert + ".JSONText(" + field + ")"
	case c.Kind == spec.ColumnBytes:
		return upsert + ".Bytes(" + field + ")"
	case c.Kind == spec.ColumnUUID && !c.Valuer && c.Pointer:
		return upsert + ".Bytes16((*[16]byte)(" + field + "))"
	case c.Kind == spec.ColumnUUID && !c.Valuer:
		return field + "[:]"
	case c.Valuer:
		return field
	}
	_, value := w.converted(c, field)
	return value
}

// compareColumn compares two rows by a column. NULL comes first.
func (w *upsertWriter) compareColumn(c spec.Column) string {
	a, b := w.a+"."+c.Path, w.b+"."+c.Path
	null := func(whereA, whereB, both string) string {
		// upsert.Null(a.Phone != nil, b.Phone != nil, func() int { return cmp.Compare(*a.Phone, *b.Phone) })
		return fmt.Sprintf("%s.Null(%s, %s, func() int { return %s })", w.out.imports.of(upsertPath), whereA, whereB, both)
	}
	switch {
	case c.Valid != "":
		return null(a+".Valid", b+".Valid", w.compareValues(c, a+"."+c.Valid, b+"."+c.Valid))
	case c.Pointer && c.Kind == spec.ColumnUUID:
		return null(a+" != nil", b+" != nil", w.compareValues(c, a, b))
	case c.Pointer:
		return null(a+" != nil", b+" != nil", w.compareValues(c, "*"+a, "*"+b))
	case c.Kind == spec.ColumnBytes:
		return null(a+" != nil", b+" != nil", w.compareValues(c, a, b))
	}
	return w.compareValues(c, a, b)
}

// compareValues compares two values that are there.
func (w *upsertWriter) compareValues(c spec.Column, a, b string) string {
	call := func(path, name, a, b string) string {
		return fmt.Sprintf("%s.%s(%s, %s)", w.out.imports.of(path), name, a, b)
	}
	switch c.Kind {
	case spec.ColumnBool:
		if !w.isOwn(c) && c.Valid == "" {
			a, b = "bool("+a+")", "bool("+b+")"
		}
		return call(upsertPath, "Bool", a, b)
	case spec.ColumnBytes:
		return call("bytes", "Compare", a, b)
	case spec.ColumnUUID:
		return call("bytes", "Compare", a+"[:]", b+"[:]")
	case spec.ColumnTime:
		if w.dialect == spec.Postgres {
			return call(upsertPath, "Micro", a, b)
		}
		if strings.HasPrefix(a, "*") {
			a = "(" + a + ")"
		}
		return a + ".Compare(" + b + ")"
	}
	return call("cmp", "Compare", a, b)
}

// alone is the condition that a row's key has a NULL that is equal to nothing;
// empty if no row's has.
func (w *upsertWriter) alone() string {
	if w.Nulls != spec.NullsDistinct {
		return ""
	}
	var conditions []string
	for _, c := range w.Key() {
		switch field := w.row + "." + c.Path; {
		case c.Valid != "":
			conditions = append(conditions, "!"+field+".Valid")
		case c.Nullable:
			conditions = append(conditions, field+" == nil")
		}
	}
	return strings.Join(conditions, " || ")
}
