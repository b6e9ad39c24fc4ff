package spec

import (
	"go/types"
)

// basicColumns are Go's own types, by what they are on Postgres.
var basicColumns = map[types.BasicKind]Column{
	types.String: {SQLType: "text", Kind: ColumnOrdered}, types.Bool: {SQLType: "boolean", Kind: ColumnBool},
	types.Int: {SQLType: "bigint"}, types.Int8: {SQLType: "smallint"}, types.Int16: {SQLType: "smallint"}, types.Int32: {SQLType: "integer"}, types.Int64: {SQLType: "bigint"},
	types.Uint: {SQLType: "bigint"}, types.Uint8: {SQLType: "smallint"}, types.Uint16: {SQLType: "integer"}, types.Uint32: {SQLType: "bigint"}, types.Uint64: {SQLType: "bigint"},
	types.Float32: {SQLType: "real", Kind: ColumnFloat}, types.Float64: {SQLType: "double precision", Kind: ColumnFloat},
}

// nullStructs are structs that hold a value or, where Valid is false, NULL: the
// field with the value, and Go's own type of it.
var nullStructs = map[string]Column{
	"database/sql.NullString": {Valid: "String", Basic: "string", SQLType: "text"}, "database/sql.NullInt64": {Valid: "Int64", Basic: "int64", SQLType: "bigint"},
	"database/sql.NullInt32": {Valid: "Int32", Basic: "int32", SQLType: "integer"}, "database/sql.NullInt16": {Valid: "Int16", Basic: "int16", SQLType: "smallint"},
	"database/sql.NullBool":    {Valid: "Bool", Basic: "bool", SQLType: "boolean", Kind: ColumnBool},
	"database/sql.NullFloat64": {Valid: "Float64", Basic: "float64", SQLType: "double precision", Kind: ColumnFloat},
	"database/sql.NullTime":    {Valid: "Time", SQLType: "timestamptz", Kind: ColumnTime},
	pgtypePath + ".Text":       {Valid: "String", Basic: "string", SQLType: "text"}, pgtypePath + ".Int8": {Valid: "Int64", Basic: "int64", SQLType: "bigint"},
	pgtypePath + ".Int4": {Valid: "Int32", Basic: "int32", SQLType: "integer"}, pgtypePath + ".Int2": {Valid: "Int16", Basic: "int16", SQLType: "smallint"},
	pgtypePath + ".Bool":   {Valid: "Bool", Basic: "bool", SQLType: "boolean", Kind: ColumnBool},
	pgtypePath + ".Float8": {Valid: "Float64", Basic: "float64", SQLType: "double precision", Kind: ColumnFloat},
	pgtypePath + ".Float4": {Valid: "Float32", Basic: "float32", SQLType: "real", Kind: ColumnFloat},
	pgtypePath + ".UUID":   {Valid: "Bytes", SQLType: "uuid", Kind: ColumnUUID},
	// These have values that Go's own types have not.
	pgtypePath + ".Timestamptz": {SQLType: "timestamptz", Kind: ColumnValuer}, pgtypePath + ".Timestamp": {SQLType: "timestamp", Kind: ColumnValuer},
	pgtypePath + ".Date": {SQLType: "date", Kind: ColumnValuer}, pgtypePath + ".Time": {SQLType: "time", Kind: ColumnValuer},
	pgtypePath + ".Numeric": {SQLType: "numeric", Kind: ColumnValuer}, pgtypePath + ".Interval": {SQLType: "interval", Kind: ColumnValuer},
}

const pgtypePath = "github.com/jackc/pgx/v5/pgtype"

// kind finds how values of a type are sent.
func (c *Column) kind(t types.Type, override string) *Error {
	name := fullName(t)
	c.Valuer = isValuer(t)
	known, isNull := nullStructs[name]
	switch {
	case name == "time.Time":
		c.Kind, c.SQLType = ColumnTime, "timestamptz"
	case name == "encoding/json.RawMessage" && !c.Pointer:
		c.Kind, c.SQLType, c.Nullable = ColumnJSON, "jsonb", true
	case isNull && !c.Pointer:
		c.Kind, c.SQLType, c.Basic, c.Valid, c.Nullable = known.Kind, known.SQLType, known.Basic, known.Valid, true
	case isNull, name == "encoding/json.RawMessage":
		return &Error{Msg: "which can be NULL in two ways", Cure: "take away the pointer"}
	case isUUID(t):
		c.Kind, c.SQLType = ColumnUUID, "uuid"
	case c.Valuer:
		c.Kind, c.SQLType, c.Nullable = ColumnValuer, override, true
		if override == "" {
			return &Error{Msg: "which writes itself, and does not say what its column is on Postgres", Cure: "say it with a second tag, such as `idem:\"type=numeric\"`"}
		}
	default:
		return c.plain(t)
	}
	return nil
}

// plain takes Go's own types, and those that are defined over them.
func (c *Column) plain(t types.Type) *Error {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if known, ok := basicColumns[u.Kind()]; ok {
			c.Kind, c.SQLType, c.Basic = known.Kind, known.SQLType, u.Name()
			if u.Kind() == types.Uint8 {
				c.Basic = "uint8" // not byte
			}
			return nil
		}
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 && !c.Pointer {
			c.Kind, c.SQLType, c.Nullable = ColumnBytes, "bytea", true
			return nil
		}
	}
	return &Error{Msg: "which is no value of one column", Cure: "make it a string, a number, a bool, []byte, a time.Time, a json.RawMessage, a [16]byte, a pointer to one of these, " +
		"a type of database/sql or pgtype that can be NULL, or one with the method Value of driver.Valuer; or give it the tag `db:\"-\"`"}
}

// fullName is the name of a type, with its package's path; empty for one that
// has no name, or arguments.
func fullName(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.TypeArgs().Len() > 0 {
		return ""
	}
	return named.Obj().Pkg().Path() + "." + named.Obj().Name()
}

func isUUID(t types.Type) bool {
	array, ok := t.Underlying().(*types.Array)
	if !ok || array.Len() != 16 {
		return false
	}
	b, ok := array.Elem().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// isValuer reports whether values of a type have the method Value of
// driver.Valuer.
func isValuer(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, "Value")
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	results := fn.Signature().Results()
	return fn.Signature().Params().Len() == 0 && results.Len() == 2 && fullName(results.At(0).Type()) == "database/sql/driver.Value"
}
