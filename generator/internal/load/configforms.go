package load

import (
	"regexp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// The forms of values, for the schema: what does not match is refused, and
// what matches may still be, as a lease of a year is. They hold in every
// dialect of regular expressions.
const (
	durationPattern = `^(` + spec.DurationForm + `)$`
	foreverPattern  = `^(forever|` + spec.DurationForm + `)$`
	tablePattern    = `^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$`
	dirPattern      = `^[^/\\\x00-\x1f\x7f][^\\\x00-\x1f\x7f]*$`
	outsidePattern  = `^\.\.(/|$)`
	filledPattern   = `\S`

	foreverArgs = "DURATION | forever"
)

var schemaComment = regexp.MustCompile(`^#\s+yaml-language-server\s*:.*\$schema=(\S+)`)

// argumentForms are the forms of a handler's fields, by what the table says
// of their argument. Of others only their text is known.
var argumentForms = map[string]string{
	"DURATION":  spec.DurationForm,
	foreverArgs: "forever|" + spec.DurationForm,
	"NAMESPACE": spec.NamespaceForm,
}

// argumentSchema is the schema of a handler's field. There may be space
// around an argument.
func argumentSchema(f spec.Field) *schema {
	if f.Integer {
		return attemptsSchema()
	}
	s := textSchema(filledPattern)
	if form, ok := argumentForms[f.Args]; ok {
		s.Pattern = `^\s*(` + form + `)\s*$`
	}
	if f.Many {
		return oneOrMore(s, false)
	}
	return s
}

func attemptsSchema() *schema { return &schema{Type: "integer", Minimum: 1, Maximum: spec.MaxAttempts} }
