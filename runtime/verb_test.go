package runtime_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// day is a named time, as the generated code converts one.
type day time.Time

func TestKeyVerbs(t *testing.T) {
	zurich := time.FixedZone("CEST", 2*60*60)
	at := time.Date(2024, 6, 1, 1, 30, 59, 999, zurich) // still May in UTC
	year := func(n int) time.Time { return time.Date(n, 1, 2, 3, 4, 5, 0, time.UTC) }
	str := func(s string) idem.Part { return idem.String("p", s) }
	const (
		sumOfA     = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
		sumOfDash  = "3973e022e93220f9212c18d0d0c543ae7c309e46640da93a4a0314de999f5112"
		sumOfColon = "e7ac0786668e0ff0f02b62bd04f45ff636fd82db63b1104601c975dc005f3a67"
	)
	for _, tt := range []struct {
		name string
		part idem.Part
		want string // empty: the part is missing
	}{
		{"date, in UTC", idem.Date("p", at), "2024-05-31"},
		{"hour, in UTC", idem.Hour("p", at), "2024-05-31T23"},
		{"unix", idem.Unix("p", at), "1717198259"},
		{"date of a named type", idem.Date("p", time.Time(day(at))), "2024-05-31"},
		{"date of the zero time", idem.Date("p", time.Time{}), ""},
		{"hour of the zero time, in a zone", idem.Hour("p", time.Time{}.In(zurich)), ""},
		{"unix of the zero time", idem.Unix("p", time.Time{}), ""},
		{"the time 0 is a value", idem.Unix("p", time.Unix(0, 0)), "0"},
		{"unix of most of a second", idem.Unix("p", time.Unix(7, 999999999)), "7"},
		{"before 1970", idem.Unix("p", time.Unix(-1, 0)), "-1"},
		{"date in the year 10000", idem.Date("p", year(10000)), "10000-01-02"},
		{"hour in the year 123456", idem.Hour("p", year(123456)), "123456-01-02T03"},
		{"date in the year 0", idem.Date("p", year(0)), "0000-01-02"},
		{"date in the year -1", idem.Date("p", year(-1)), "-0001-01-02"},
		{"date in the year -10000", idem.Date("p", year(-10000)), "-10000-01-02"},
		{"optional date, absent", idem.Optional(idem.Date("p", time.Time{})), "-"},

		{"lower", idem.Lower(str("ZÜRICH Straße İ")), "zürich straße i"},
		{"lower keeps bytes apart that are not UTF-8", idem.Lower(str("A\xff\xc3B")), "a%FF%C3b"},
		{"lower, and then escaped", idem.Lower(str("A:B%2D")), "a%3Ab%252d"},
		{"lower of nothing", idem.Lower(str("")), ""},
		{"lower, out of reach", idem.Lower(idem.Missing("p")), ""},
		{"lower of text", idem.Lower(idem.Text("p", named("DE"))), "de"},
		{"lower of a stringer", idem.Lower(idem.Stringer("p", spoken("DE"))), "de"},

		{"trim", idem.Trim(str(" \t\u00a0a b\u2003\r\n")), "a b"},
		{"trim keeps bytes that are not UTF-8", idem.Trim(str(" \x85a\xa0 ")), "%85a%A0"},
		{"trim to nothing", idem.Trim(str(" \u2003 ")), ""},
		{"trim to nothing, optional", idem.Optional(idem.Trim(str("  "))), "-"},
		{"trim to a real dash, optional", idem.Optional(idem.Trim(str(" - "))), "%2D"},
		{"trim to a real dash", idem.Trim(str(" - ")), "-"},
		{"trim and lower", idem.Lower(idem.Trim(str(" De "))), "de"},
		{"trim, out of reach", idem.Optional(idem.Trim(idem.Missing("p"))), "-"},

		{"hash", idem.Hash(str("a")), sumOfA},
		{"hash before escaping", idem.Hash(str(":")), sumOfColon},
		{"hash of nothing", idem.Hash(str("")), ""},
		{"hash of what is trimmed to nothing", idem.Hash(idem.Trim(str(" "))), ""},
		{"hash, out of reach", idem.Optional(idem.Hash(idem.Missing("p"))), "-"},
		{"hash of a real dash, optional", idem.Optional(idem.Hash(str("-"))), sumOfDash},
		{"hash of what was lowered", idem.Hash(idem.Lower(str("A"))), sumOfA},

		{"lower of an optional part", idem.Lower(idem.Optional(str("-"))), "%2D"},
		{"trim of an optional part", idem.Trim(idem.Optional(str("  "))), "-"},
		{"lower of an optional part that is absent", idem.Lower(idem.Optional(str(""))), "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key, err := spec.Key(idem.Literal("notify:"), tt.part)
			if tt.want == "" {
				wantEmpty(t, key, err, "p")
				return
			}
			if err != nil || key != idem.Key("notify:"+tt.want) {
				t.Errorf("key %q, error %v; want key %q", key, err, "notify:"+tt.want)
			}
		})
	}
}

// A value that cannot be marshalled does not become one that is missing, nor
// one that is there.
func TestKeyVerbsKeepAnError(t *testing.T) {
	for name, verb := range map[string]func(idem.Part) idem.Part{"lower": idem.Lower, "trim": idem.Trim, "hash": idem.Hash, "optional": idem.Optional} {
		key, err := spec.Key(idem.Literal("notify:"), idem.Optional(verb(idem.Text("event.ID", broken{N: 1}))))
		if key != "" || !errors.Is(err, idem.ErrBadPart) || errors.Is(err, idem.ErrEmptyKeyPart) {
			t.Errorf("%s: key %q, error %v; want no key and ErrBadPart", name, key, err)
		}
		// What a secret says of itself may be the secret.
		if told := errors.Is(err, errBroken); told == (name == "hash") {
			t.Errorf("%s: error %v wraps the cause: %v", name, err, told)
		}
	}
}

// A secret, or a text that is longer than a key, is hashed by itself: the key
// stays whole, and what stands beside it readable.
func TestHashShortens(t *testing.T) {
	key, err := spec.Key(idem.Literal("notify:"), idem.Hash(idem.String("p", strings.Repeat("x", 10_000))), idem.Literal(":"), idem.String("q", "end"))
	if err != nil || len(key) != len("notify:")+64+len(":end") || !strings.HasSuffix(string(key), ":end") {
		t.Errorf("key %q, error %v", key, err)
	}
}
