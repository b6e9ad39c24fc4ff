package spec

import (
	"slices"
	"strings"
)

// verbDef defines a verb: what stands behind | in a placeholder.
type verbDef struct {
	name    string
	encoder Encoder // of a verb that says how a value is written; it comes first
	verb    Verb    // of one that changes the text
	// refusal says why it cannot stand where it is of no use: in a fingerprint,
	// or, if it is for fingerprints, in a key. It is empty where a verb has a
	// place in both.
	refusal refusal
	takes   string // in Markdown, for the reference
	makes   string
}

// verbTable is every verb there is, in the order of the reference.
var verbTable = []verbDef{
	{name: "date", encoder: EncodeDate, takes: "`time.Time`", makes: "its day in UTC, `2026-03-14`"},
	{name: "hour", encoder: EncodeHour, takes: "`time.Time`", makes: "its hour in UTC, `2026-03-14T09`"},
	{name: "unix", encoder: EncodeUnix, takes: "`time.Time`", makes: "its seconds since 1970, `1773480413`"},
	{name: "lower", verb: VerbLower, takes: "text", makes: "the text in lower case"},
	{name: "trim", verb: VerbTrim, takes: "text", makes: "the text without white space at its ends, which may leave it empty"},
	{name: "hash", verb: VerbHash, refusal: refusal{"hash is for keys: of a fingerprint only hashes are stored", "remove it"},
		takes: "all that a key takes", makes: "the SHA-256 of the text, in 64 digits, for secrets and long values"},
	{name: "json", encoder: EncodeJSON, refusal: refusal{"json is for fingerprints: a key names one value", "take the event as a struct, and name a field"},
		takes: "`string`, `[]byte`, `json.RawMessage`", makes: "what the JSON says; in fingerprints only"},
}

// keyVerbs are those of keys, and fingerprintVerbs those of fingerprints.
var (
	keyVerbs         = without(verbTable, "json")
	fingerprintVerbs = without(verbTable, "hash")
)

func without(verbs []verbDef, name string) []verbDef {
	return slices.DeleteFunc(slices.Clone(verbs), func(v verbDef) bool { return v.name == name })
}

func lookupVerb(name string) (verbDef, bool) {
	i := slices.IndexFunc(verbTable, func(v verbDef) bool { return v.name == name })
	if i < 0 {
		return verbDef{}, false
	}
	return verbTable[i], true
}

// AllVerbs lists a placeholder's verbs as it is written, with the one that is
// its encoder; a literal has none.
func (p KeyPart) AllVerbs() []string {
	var names []string
	for _, v := range verbTable {
		if v.encoder != "" && v.encoder == p.Encoder {
			names = append(names, v.name)
		}
	}
	for _, verb := range p.Verbs {
		names = append(names, string(verb))
	}
	return names
}

// Placeholder returns a placeholder as a template has it: {event.Email?|lower}.
func (p KeyPart) Placeholder() string {
	text := p.Text
	if p.Optional {
		text += "?"
	}
	return "{" + strings.Join(append([]string{text}, p.AllVerbs()...), "|") + "}"
}

// Placeholders returns several with spaces between them, as a fingerprint has
// them.
func Placeholders(parts []KeyPart) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Placeholder()
	}
	return strings.Join(texts, " ")
}

// ColumnNames returns what the column of a placeholder's value may be called:
// after its last two names, order_id for {event.Order.ID}, or after the last
// one.
func (p KeyPart) ColumnNames() []string {
	names := strings.Split(strings.ReplaceAll(p.Text, "()", ""), ".")
	last := Snake(names[len(names)-1])
	if len(names) == 1 {
		return []string{last}
	}
	return []string{Snake(names[len(names)-2]) + "_" + last, last}
}
