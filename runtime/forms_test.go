package runtime_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	idem "github.com/idemgen/idemgen/runtime"
)

// form is how a template writes one of its placeholders.
type form struct {
	encoder  int // index into encoders
	verbs    int // index into verbs
	optional bool
}

// encoder makes a part of a value that is told by a string, and says what
// tells the value from others; "" if it is missing.
type encoder struct {
	name string
	make func(s string) (part idem.Part, identity string)
}

// named and spoken are types with a text of their own.
type (
	named  string
	spoken string
)

func (n named) MarshalText() ([]byte, error) { return []byte(n), nil }
func (s spoken) String() string              { return string(s) }

var encoders = []encoder{
	{"String", func(s string) (idem.Part, string) { return idem.String("p", s), s }},
	{"Text", func(s string) (idem.Part, string) { return idem.Text("p", named(s)), s }},
	{"Stringer", func(s string) (idem.Part, string) { return idem.Stringer("p", spoken(s)), s }},
	{"Bytes", func(s string) (idem.Part, string) { return idem.Bytes("p", []byte(s)), fmt.Sprintf("%x", s) }},
	{"Bool", func(s string) (idem.Part, string) { return idem.Bool("p", s > "m"), fmt.Sprint(s > "m") }},
	{"Int", func(s string) (idem.Part, string) { n := number(s); return idem.Int("p", n), fmt.Sprint(n) }},
	{"Uint", func(s string) (idem.Part, string) { n := uint64(number(s)); return idem.Uint("p", n), fmt.Sprint(n) }},
	{"ByteArray", func(s string) (idem.Part, string) {
		var array [9]byte
		copy(array[:], s)
		return idem.ByteArray("p", array[:]), strings.TrimRight(string(array[:]), "\x00")
	}},
	{"Date", timeEncoder(idem.Date, 24*60*60)},
	{"Hour", timeEncoder(idem.Hour, 60*60)},
	{"Unix", timeEncoder(idem.Unix, 1)},
}

// number is what the first bytes of a string say.
func number(s string) int64 {
	var b [8]byte
	copy(b[:], s)
	return int64(binary.LittleEndian.Uint64(b[:]))
}

// timeEncoder is for times within 146 billion years, which are the same if they
// lie in the same stretch of so many seconds, in whatever zone.
func timeEncoder(part func(string, time.Time) idem.Part, stretch int64) func(string) (idem.Part, string) {
	return func(s string) (idem.Part, string) {
		n := number(s) / 2
		zone := time.FixedZone("", int(n%(24*60*60)))
		at := time.Unix(n, int64(len(s))).In(zone)
		if at.IsZero() {
			return part("p", at), ""
		}
		floor := n / stretch
		if n%stretch < 0 {
			floor--
		}
		return part("p", at), fmt.Sprint(floor)
	}
}

// verb changes a part, and what tells its value from others. Only texts that
// people write are changed.
type verb struct {
	name string
	part func(idem.Part) idem.Part
	fold func(string) string
}

var verbs = []verb{
	{"", func(p idem.Part) idem.Part { return p }, func(s string) string { return s }},
	{"lower", idem.Lower, folded},
	{"trim", idem.Trim, stripped},
	{"hash", idem.Hash, func(s string) string { return s }},
	{"lower|trim", func(p idem.Part) idem.Part { return idem.Trim(idem.Lower(p)) }, func(s string) string { return stripped(folded(s)) }},
	{"trim|lower|hash", func(p idem.Part) idem.Part { return idem.Hash(idem.Lower(idem.Trim(p))) },
		func(s string) string { return folded(stripped(s)) }},
}

// folded goes through a text character by character, as what is not UTF-8 has
// to be told apart.
func folded(s string) string {
	var b []byte
	for i, r := range s {
		if _, n := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && n == 1 {
			b = append(b, s[i])
			continue
		}
		b = utf8.AppendRune(b, unicode.To(unicode.LowerCase, r))
	}
	return string(b)
}

func stripped(s string) string { return strings.TrimFunc(s, unicode.IsSpace) }

// part returns the part of a value in a form, and what tells the value apart.
func (f form) part(s string) (idem.Part, string) {
	e, v := encoders[f.encoder], verbs[f.verbs]
	p, identity := e.make(s)
	if f.encoder < 3 { // texts
		identity = v.fold(identity)
	}
	p = v.part(p)
	if f.optional {
		p = idem.Optional(p)
	}
	return p, identity
}

func (f form) String() string {
	return fmt.Sprintf("{%s|%s, optional: %v}", encoders[f.encoder].name, verbs[f.verbs].name, f.optional)
}

// keyOf makes the key of some values, and what tells their list from others.
func keyOf(t *testing.T, template []form, values []string) (key idem.Key, identity string) {
	t.Helper()
	parts := []idem.Part{idem.Literal("notify")}
	missing := false
	for i, f := range template {
		p, id := f.part(values[i])
		parts = append(parts, idem.Literal(":"), p)
		identity += fmt.Sprintf("%q,", id)
		missing = missing || (id == "" && !f.optional)
	}
	key, err := spec.Key(parts...)
	if errors.Is(err, idem.ErrEmptyKeyPart) != missing || (err == nil) == missing {
		t.Fatalf("%v of %q: key %q, error %v; a part is missing: %v", template, values, key, err, missing)
	}
	return key, identity
}

// wantInjective checks that two lists of values have one key just if they are
// the same.
func wantInjective(t *testing.T, template []form, one, other []string) {
	t.Helper()
	key1, identity1 := keyOf(t, template, one)
	key2, identity2 := keyOf(t, template, other)
	if key1 == "" || key2 == "" {
		return
	}
	if (identity1 == identity2) != (key1 == key2) {
		t.Fatalf("%v of %q and %q: keys %q and %q", template, one, other, key1, key2)
	}
}

// formCount is how many forms there are.
var formCount = len(encoders) * len(verbs) * 2

// template reads forms from the digits of a number: the first from those below
// formCount, the next ones from what is left.

func template(shape uint64, parts int) []form {
	list := make([]form, parts)
	digit := func(n int) int { d := shape % uint64(n); shape /= uint64(n); return int(d) }
	for i := range list {
		list[i] = form{encoder: digit(len(encoders)), verbs: digit(len(verbs)), optional: digit(2) == 1}
	}
	return list
}
