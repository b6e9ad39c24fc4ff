package spec

import (
	"cmp"
	"fmt"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// columnTag names a field's column, as sqlx and pgx take it; typeTag says its
// type on Postgres, where the field's own type does not.
const (
	columnTag = "db"
	typeTag   = "idem"
)

// sqlTypePattern is the name of a type, which may be qualified by a schema or
// have several words: citext, public.citext, double precision.
var sqlTypePattern = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*|( [a-z]+)*)$`)

// noSQLType stands for the type of a column where no dialect needs it.
const noSQLType = "any"

// columns finds the columns of the type, and reports whether it is one that has
// any.
func (b *upsertBuilder) columns() bool {
	at, name := b.u.Pos, b.u.Type
	fields, isStruct := b.src.Type.Type().Underlying().(*types.Struct)
	const cure = "declare a struct type whose fields have tags such as `db:\"list_id\"`"
	if b.src.Type.IsAlias() {
		b.errs.Add(at, name+" is an alias", "move "+b.directive()+" to the type that it stands for, if that is yours; otherwise "+cure)
		return false
	}
	if named, ok := b.src.Type.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
		b.errs.Add(at, name+" has type parameters, and a table has one type of rows", cure+", and convert the values to it")
		return false
	}
	if !isStruct {
		b.errs.Add(at, name+" is no struct", cure)
		return false
	}
	before := len(b.errs)
	b.fields(fields, "", nil)
	if len(b.u.Columns) == 0 && len(b.errs) == before {
		b.errs.Add(at, "no field of "+name+" has a tag that names its column", "add tags such as `db:\"list_id\"`")
	}
	return len(b.u.Columns) > 0
}

// fields takes in the columns of a struct, which may be embedded. Above are
// the structs around it.
func (b *upsertBuilder) fields(s *types.Struct, path string, above []types.Type) {
	for i := range s.NumFields() {
		field, tag := s.Field(i), reflect.StructTag(s.Tag(i))
		column, tagged := tag.Lookup(columnTag)
		column, _, _ = strings.Cut(column, ",")
		switch {
		case column == "-":
		case tagged:
			b.field(field, b.selector(field, path), column, tag.Get(typeTag))
		case field.Embedded():
			b.embedded(field, path+field.Name(), above)
		}
	}
}

// selector is how a field is written: by its name alone, if that is promoted.
func (b *upsertBuilder) selector(field *types.Var, path string) string {
	if found, _, _ := types.LookupFieldOrMethod(b.src.Type.Type(), true, b.src.Type.Pkg(), field.Name()); found == field {
		return field.Name()
	}
	return path + field.Name()
}

// embedded takes in the columns of an embedded struct.
func (b *upsertBuilder) embedded(field *types.Var, path string, above []types.Type) {
	inner, ok := Deref(field.Type()).Underlying().(*types.Struct)
	if !ok || !hasColumns(inner, 0) {
		return
	}
	for _, t := range above {
		if types.Identical(t, field.Type()) {
			return // does not compile, which is told elsewhere
		}
	}
	if _, pointer := field.Type().Underlying().(*types.Pointer); pointer {
		b.errs.Add(b.src.At(field.Pos()), fmt.Sprintf("the columns of %s lie behind a pointer, which may be nil", path), "embed the struct itself")
		return
	}
	b.fields(inner, path+".", append(above, field.Type()))
}

// hasColumns reports whether a struct, or one that is embedded in it, has a
// field with a column.
func hasColumns(s *types.Struct, depth int) bool {
	const deepest = 10
	for i := range s.NumFields() {
		if column, ok := reflect.StructTag(s.Tag(i)).Lookup(columnTag); ok && column != "-" {
			return true
		}
		inner, ok := Deref(s.Field(i).Type()).Underlying().(*types.Struct)
		if ok && s.Field(i).Embedded() && depth < deepest && hasColumns(inner, depth+1) {
			return true
		}
	}
	return false
}

// field takes in one column.
func (b *upsertBuilder) field(field *types.Var, path, column, typeOption string) {
	at := b.src.At(field.Pos())
	if !field.Exported() && field.Pkg() != b.src.Type.Pkg() {
		b.errs.Add(at, fmt.Sprintf("the field %s is not exported, and belongs to another package than %s", path, b.u.Type), "export it, or give it the tag `db:\"-\"`")
		return
	}
	if err := CheckColumn(column); err != nil {
		b.errs.Add(at, fmt.Sprintf("the tag of %s: %s", path, err.Msg), err.Cure)
		return
	}
	if i := b.u.index(column); i >= 0 {
		b.errs.Add(at, fmt.Sprintf("the fields %s and %s have the same column, %s", b.u.Columns[i].Path, path, column), "give one of the two another, or the tag `db:\"-\"`")
		return
	}
	c := Column{Name: column, Pos: at, Path: path, Type: field.Type()}
	override, ok := b.typeOption(at, path, typeOption)
	if !ok || override == "" && !slices.Contains(b.src.Dialects, Postgres) {
		override = noSQLType
	}
	if err := c.classify(override); err != nil {
		b.errs.Add(at, fmt.Sprintf("the field %s has the type %s, %s", path, b.typeName(field.Type()), err.Msg), err.Cure)
		ok = false
	}
	if ok || c.SQLType != "" { // good enough for what else may be wrong
		b.u.Columns = append(b.u.Columns, c)
	}
}

// typeOption reads `idem:"type=citext"`.
func (b *upsertBuilder) typeOption(at Pos, path, option string) (string, bool) {
	if option == "" {
		return "", true
	}
	name, ok := strings.CutPrefix(option, "type=")
	if !ok || !sqlTypePattern.MatchString(name) {
		b.errs.Add(at, fmt.Sprintf("the tag `idem:%q` of %s names no type of a column", option, path), "write it as `idem:\"type=citext\"`, in lower case and without a length")
		return "", false
	}
	return name, true
}

// classify says how values of the column's type are sent. A type of the column
// that the user gives takes the place of the usual one. Texts are cast to it
// by the database, because not every driver knows every type.
func (c *Column) classify(override string) *Error {
	t := c.Type
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t, c.Pointer, c.Nullable = p.Elem(), true, true
	}
	if err := c.kind(t, override); err != nil {
		return err
	}
	if c.Kind == ColumnOrdered && c.Basic == "string" {
		c.SQLType, c.Cast = "text", override
		return nil
	}
	c.SQLType = cmp.Or(override, c.SQLType)
	return nil
}
