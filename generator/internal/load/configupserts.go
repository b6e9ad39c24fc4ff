package load

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// typeField names the type, which in the other front end the directive's place
// does.
var typeField = spec.Field{
	Name: "type", Args: "TYPE", Default: required, Example: "./jobs.Recipient",
	Doc: "the struct type: its package's directory or import path, a dot, its name",
}

// upserts reads the list of them.
func (d *configReader) upserts(p pair) {
	list := resolve(p.value)
	if list.Kind != yaml.SequenceNode {
		d.wrongType(p.value, "a list", "begin each upsert with a dash, such as - type: "+typeField.Example)
		return
	}
	d.upsertsListed = true
	for _, item := range list.Content {
		u := spec.UpsertDeclaration{Pos: d.nodePos(item)}
		u.Args.YAML = true
		before := len(d.errs)
		d.readFields(item, "an upsert", d.upsertFields(&u))
		if len(d.errs) == before {
			u.Args.Check()
			d.config.Upserts = append(d.config.Upserts, u)
		}
	}
}

// upsertFields returns the keys of an upsert: the type, and what the directive
// says.
func (d *configReader) upsertFields(into *spec.UpsertDeclaration) []field {
	args := &into.Args
	return []field{
		{
			Field: typeField, schema: textSchema(filledPattern), missing: "name the type, such as type: " + typeField.Example,
			read: func(p pair) { d.word(p.value, typeField, &into.Type) },
		},
		d.wordField(spec.Field{Name: "table", Args: "TABLE", Default: required, Example: "recipients", Doc: "the table, which may be qualified by a schema"}, tablePattern, &args.Table),
		{
			Field:  spec.Field{Name: "by", Args: "COL", Default: required, Example: "phone", Many: true, Doc: "the columns that together name one row"},
			schema: oneOrMore(textSchema(columnPattern), true), missing: "name the columns that together name one row, such as by: [list_id, phone]",
			read: func(p pair) { d.columns(p.value, &args.By) },
		},
		d.wordField(spec.Field{Name: "version", Args: "COL", Default: "none", Example: "updated_at", Doc: "the column that says which of two rows is newer"}, columnPattern, &args.Version),
		{
			Field: spec.Field{
				Name: "nulls", Args: "same | distinct", Default: "none: no column of the key can be NULL",
				Doc: "whether rows whose key has a NULL in one place are one",
			},
			schema: enumSchema(string(spec.NullsSame), string(spec.NullsDistinct)),
			read: func(p pair) {
				if text, ok := d.oneOf(p.value, "way to take NULLs", string(spec.NullsSame), string(spec.NullsDistinct)); ok {
					args.Nulls = spec.Word{Text: text, Pos: d.nodePos(p.value)}
				}
			},
		},
	}
}

const columnPattern = `^[a-z_][a-z0-9_]*$`

func (d *configReader) wordField(f spec.Field, pattern string, into *spec.Word) field {
	return field{
		Field: f, schema: textSchema(pattern), missing: "add it, such as " + entry(f),
		read: func(p pair) { d.word(p.value, f, into) },
	}
}

func (d *configReader) word(n *yaml.Node, f spec.Field, into *spec.Word) {
	if _, ok := d.argument(n, f); !ok {
		return
	}
	into.Text, into.Pos, _ = d.placed(n)
	if into.Text == "" {
		d.add(n, "the "+f.Name+" is empty", "write "+entry(f))
	}
}

// columns reads a list of columns, or one.
func (d *configReader) columns(n *yaml.Node, into *[]spec.Word) {
	const cure = "write by: [list_id, phone]"
	list := []*yaml.Node{n}
	if l := resolve(n); l.Kind == yaml.SequenceNode {
		list = l.Content
		if len(list) == 0 {
			d.add(n, "the list of columns is empty", cure)
		}
	}
	for _, item := range list {
		text, ok := d.readText(item, "a column", cure)
		if !ok {
			continue
		}
		if strings.ContainsAny(text, ", ") {
			d.add(item, "there are several columns in one text", "write them as a list, by: ["+strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }), ", ")+"]")
			continue
		}
		var word spec.Word
		word.Text, word.Pos, _ = d.placed(item)
		*into = append(*into, word)
	}
}
