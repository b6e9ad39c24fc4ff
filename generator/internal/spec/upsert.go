package spec

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
)

// Upsert is a struct type whose values are rows of a table of the user's.
type Upsert struct {
	Pos      Pos // of the type's name
	Declared Pos // of the directive, or of the entry in idemgen.yaml
	File     *File
	Type     string
	Table    string
	TablePos Pos
	By       []string // columns that together name one row
	Version  string   // column that says which of two rows is newer; empty if there is none
	Nulls    Nulls
	Columns  []Column // in the order of the fields
}

// Nulls says whether two rows whose key has a NULL in one place are one.
type Nulls string

// The ways to take NULLs in a key.
const (
	NullsUnsaid   Nulls = "" // no part of the key can be NULL
	NullsSame     Nulls = "same"
	NullsDistinct Nulls = "distinct"
)

// Column is a column, and the field that holds it.
type Column struct {
	Name     string
	Pos      Pos    // of the field
	Path     string // of the field, through embedded structs: Name, Base.CreatedAt
	Type     types.Type
	SQLType  string     // on Postgres, of an element of the array that is sent
	Cast     string     // on Postgres, what the element is made then; empty if it stays as it is
	Kind     ColumnKind // of what is sent
	Basic    string     // Go's own type that the field is of, or is defined over; of kinds that have one
	Pointer  bool       // the field is a pointer to it
	Valid    string     // the field of a sql.NullString or its like that holds the value; empty for others
	Nullable bool
	Valuer   bool // it has the method Value of driver.Valuer
}

// ColumnKind is how a value is sent and compared.
type ColumnKind int

// The kinds of columns.
const (
	ColumnOrdered ColumnKind = iota // strings and integers
	ColumnFloat
	ColumnBool
	ColumnBytes
	ColumnTime
	ColumnJSON
	ColumnUUID   // [16]byte
	ColumnValuer // whatever writes itself, and cannot be compared here
)

// In returns the columns of these names, in their order.
func (u *Upsert) In(names []string) []Column {
	var found []Column
	for _, name := range names {
		if i := u.index(name); i >= 0 {
			found = append(found, u.Columns[i])
		}
	}
	return found
}

// Key returns the columns of the key.
func (u *Upsert) Key() []Column { return u.In(u.By) }

// Rest returns the columns that are no part of the key.
func (u *Upsert) Rest() []Column {
	return slices.DeleteFunc(slices.Clone(u.Columns), func(c Column) bool { return slices.Contains(u.By, c.Name) })
}

// NullableKey reports whether a part of the key can be NULL.
func (u *Upsert) NullableKey() bool {
	return slices.ContainsFunc(u.Key(), func(c Column) bool { return c.Nullable })
}

func (u *Upsert) index(column string) int {
	return slices.IndexFunc(u.Columns, func(c Column) bool { return c.Name == column })
}

// UpsertSource is what package load found: a type, and what is said of it.
type UpsertSource struct {
	File     *File
	Type     *types.TypeName
	Declared Pos
	Args     UpsertArgs
	Again    []Pos // further directives above the type
	Dialects []Dialect
	At       func(token.Pos) Pos
}

// NewUpsert checks a type and what is said of it. With errors the upsert is good
// for [Validate] and for nothing else.
func NewUpsert(src UpsertSource) (*Upsert, Errors) {
	b := &upsertBuilder{src: src, errs: slices.Clone(src.Args.errs)}
	b.u = &Upsert{
		Pos: src.At(src.Type.Pos()), Declared: src.Declared, File: src.File, Type: src.Type.Name(),
		Table: src.Args.Table.Text, TablePos: src.Args.Table.Pos, Nulls: Nulls(src.Args.Nulls.Text), Version: src.Args.Version.Text,
	}
	for _, again := range src.Again {
		b.errs.Add(again, fmt.Sprintf("%s is given twice, first at %s", b.directive(), src.Declared), "remove one of the two")
	}
	if b.columns() && len(src.Args.errs) == 0 {
		b.key()
		b.version()
	}
	return b.u, b.errs
}

// upsertBuilder fills one upsert.
type upsertBuilder struct {
	src  UpsertSource
	u    *Upsert
	errs Errors
}

// directive is what declares the upsert, in messages.
func (b *upsertBuilder) directive() string {
	if b.src.Args.YAML {
		return "an upsert of " + b.u.Type
	}
	return "//idem:upsert"
}

// key finds the columns of the key, and refuses those that cannot be compared.
func (b *upsertBuilder) key() {
	for _, word := range b.src.Args.By {
		b.u.By = append(b.u.By, word.Text)
		if c, ok := b.column(word); ok {
			b.keyColumn(c, word)
		}
	}
	if b.u.Nulls != NullsUnsaid && !b.u.NullableKey() && len(b.u.Key()) == len(b.u.By) {
		b.errs.Add(b.src.Args.Nulls.Pos, fmt.Sprintf("nulls %s says nothing: no field of the key can be NULL", b.u.Nulls), "remove it")
	}
}

func (b *upsertBuilder) keyColumn(c Column, word Word) {
	switch {
	case c.Kind == ColumnFloat:
		b.errs.Add(word.Pos, fmt.Sprintf("the key has the column %s, and its field %s is a float, whose rounding differs", c.Name, c.Path),
			"use an integer in the smallest unit, or another column")
	case c.Kind == ColumnJSON || c.Kind == ColumnValuer:
		b.errs.Add(word.Pos, fmt.Sprintf("the key has the column %s, and values of its field %s, of type %s, cannot be compared", c.Name, c.Path, b.typeName(c.Type)),
			"make it a string, an integer, a bool, a [16]byte, a time.Time or a pointer to one of these, or name another column")
	case c.Nullable && b.u.Nulls == NullsUnsaid:
		b.errs.Add(word.Pos, fmt.Sprintf("the key has the column %s, whose field %s, of type %s, can be NULL, and a unique index takes NULL for equal to nothing", c.Name, c.Path, b.typeName(c.Type)),
			"make the field one that is never NULL, or say what two such rows are: "+b.nulls("same")+" for one row, "+b.nulls("distinct")+" for two")
	}
}

// nulls writes the clause as the front end has it.
func (b *upsertBuilder) nulls(what string) string {
	if b.src.Args.YAML {
		return "nulls: " + what
	}
	return "nulls " + what
}

func (b *upsertBuilder) version() {
	word := b.src.Args.Version
	if word.Text == "" {
		return
	}
	c, ok := b.column(word)
	switch {
	case !ok:
	case slices.Contains(b.u.By, word.Text):
		b.errs.Add(word.Pos, fmt.Sprintf("the version %s is a part of the key: two rows of one key have the same", c.Name), "name a column that grows with every change")
	case c.Nullable || c.Kind != ColumnTime && (c.Kind != ColumnOrdered || c.Basic == "string"):
		b.errs.Add(word.Pos, fmt.Sprintf("the version %s has the field %s, of type %s: which of two is newer must be beyond doubt", c.Name, c.Path, b.typeName(c.Type)),
			"make it an integer or a time.Time")
	}
}

// column finds the column of a name, or reports that no field has it.
func (b *upsertBuilder) column(word Word) (Column, bool) {
	if i := b.u.index(word.Text); i >= 0 {
		return b.u.Columns[i], true
	}
	var names []string
	for _, c := range b.u.Columns {
		names = append(names, c.Name)
	}
	cure := fmt.Sprintf("add a field with the tag `db:%q`", word.Text)
	if near := Suggest(word.Text, names); near != "" {
		cure = "did you mean " + near + "?"
	}
	b.errs.Add(word.Pos, fmt.Sprintf("%s has no field for the column %s", b.u.Type, word.Text), cure)
	return Column{}, false
}

func (b *upsertBuilder) typeName(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(b.src.Type.Pkg()))
}
