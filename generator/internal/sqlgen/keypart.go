package sqlgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/templates"
)

// matched is a part of a key, and the column that holds its value.
type matched struct {
	part    spec.KeyPart
	column  string       // empty for a literal
	whole   bool         // the column holds the whole key
	encoder spec.Encoder // that makes the text from the column
	verbs   []spec.Verb  // that have to change it still
}

// match matches a placeholder. A column that is called after a verb, such as
// token_hash, holds what the verb made, unless that is the placeholder's own
// name.
func match(p spec.KeyPart, column string) matched {
	m := matched{part: p, column: column, encoder: p.Encoder, verbs: p.Verbs}
	for i, verb := range slices.Backward(p.Verbs) {
		if slices.Contains(p.ColumnNames(), column) {
			break
		}
		if strings.HasSuffix(column, "_"+string(verb)) {
			m.verbs = p.Verbs[i+1:]
			if verb == spec.VerbHash {
				m.encoder = spec.EncodeBytes
			}
			break
		}
	}
	if slices.Contains(plain, m.encoder) {
		m.verbs = slices.DeleteFunc(slices.Clone(m.verbs), func(v spec.Verb) bool { return v != spec.VerbHash })
	}
	return m
}

// plain are the encoders whose text has no capitals, no white space at its
// ends and nothing to escape.
var plain = []spec.Encoder{spec.EncodeInt, spec.EncodeUint, spec.EncodeBool, spec.EncodeBytes, spec.EncodeByteArray}

// ofTimes are the encoders that a time's verb chooses.
var ofTimes = []spec.Encoder{spec.EncodeDate, spec.EncodeHour, spec.EncodeUnix}

// source is the column with what has to be done to it.
func (m matched) source() string {
	left := spec.KeyPart{Encoder: m.encoder, Verbs: m.verbs}
	return strings.Join(append([]string{m.column}, left.AllVerbs()...), "|")
}

// placeholder is the part as it is written.
func (m matched) placeholder() string { return clean(m.part.Placeholder()) }

func (m matched) words() string {
	if m.whole {
		return m.column + " is the key itself"
	}
	return m.source() + " is " + m.placeholder()
}

// changes reports whether the key has something else than the column.
func (m matched) changes() bool { return m.source() != m.column }

// withoutHash is the match without a hash at the end.
func (m matched) withoutHash() matched {
	m.verbs = slices.DeleteFunc(slices.Clone(m.verbs), func(v spec.Verb) bool { return v == spec.VerbHash })
	return m
}

// lacking are the verbs that a dialect cannot do again to the letter.
var lacking = map[spec.Dialect]map[spec.Verb]string{
	spec.Postgres: {spec.VerbLower: "lower() of Postgres goes by the locale"},
	spec.SQLite:   {spec.VerbLower: "lower() of SQLite knows ASCII only", spec.VerbHash: "SQLite has no SHA-256"},
}

// inexact returns why a dialect cannot make the parts from their columns, or
// nothing if it can.
func inexact(d spec.Dialect, parts []matched) string {
	for _, m := range parts {
		for _, verb := range m.verbs {
			if why := lacking[d][verb]; why != "" {
				return fmt.Sprintf("%s, and so %s cannot be made from %s; call a column that holds the result %s_%s", why, m.placeholder(), m.column, m.ownName(), verb)
			}
		}
	}
	return ""
}

// ownName is the placeholder's own name: the column, if it has that.
func (m matched) ownName() string {
	names := m.part.ColumnNames()
	if slices.Contains(names, m.column) {
		return m.column
	}
	return names[len(names)-1]
}

// value returns the expression that makes the part's text from the column.
func (m matched) value(d spec.Dialect) (string, error) {
	definitions := []string{string(m.encoder)}
	if m.whole {
		definitions[0] = "Key"
	}
	for _, verb := range m.verbs {
		definitions = append(definitions, strings.ToUpper(string(verb[:1]))+string(verb[1:]))
	}
	expr := "effect." + quote(d, m.column)
	for i, definition := range definitions {
		var err error
		if expr, err = templates.Render(string(d), definition, expr); err != nil {
			return "", err
		}
		if format, ok := unlessZero[m.encoder]; i == 0 && ok && m.part.Optional {
			expr = fmt.Sprintf(format, expr)
		}
	}
	return expr, nil
}

// unlessZero makes NULL of the text of a value that nobody set: an optional
// part is absent then.
var unlessZero = map[spec.Encoder]string{
	spec.EncodeText:      "nullif(%s, '00000000-0000-0000-0000-000000000000')",
	spec.EncodeByteArray: "CASE WHEN ltrim(%[1]s, '0') <> '' THEN %[1]s END",
	spec.EncodeDate:      "nullif(%s, '0001-01-01')",
	spec.EncodeHour:      "nullif(%s, '0001-01-01T00')",
	spec.EncodeUnix:      "nullif(%s, '-62135596800')",
}

// keyColumn holds a key part: first the value, then its text in the key.
type keyColumn struct{ Value, ValueName, Text, Name string }

// keyColumn returns the columns for the nth part.
func (m matched) keyColumn(d spec.Dialect, n int) (c keyColumn, err error) {
	c = keyColumn{ValueName: fmt.Sprintf("value_%d", n), Name: fmt.Sprintf("part_%d", n)}
	if c.Value, err = m.value(d); err != nil {
		return c, err
	}
	c.Text = c.ValueName
	if m.escaped() {
		c.Text, err = templates.Render(string(d), "Escape", c.ValueName)
	}
	return c, err
}

// escaped reports whether there can be something in the value that has to be
// escaped in the key.
func (m matched) escaped() bool {
	isTime := slices.Contains(ofTimes, m.part.Encoder)
	hashed := len(m.part.Verbs) > 0 && m.part.Verbs[len(m.part.Verbs)-1] == spec.VerbHash
	return !m.whole && !isTime && !hashed && !slices.Contains(plain, m.part.Encoder)
}

// inKey returns the part as it stands in the key: an optional one has a text
// for being absent.
func (m matched) inKey(name string) string {
	if !m.part.Optional {
		return name
	}
	return fmt.Sprintf("CASE coalesce(%s, '') WHEN '' THEN '-' WHEN '-' THEN '%%2D' ELSE %[1]s END", name)
}
