package runtime_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

func fingerprint(t testing.TB, parts ...idem.Part) []byte {
	t.Helper()
	data, err := idem.NewFingerprint(parts...).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// differs compares as a store does.
func differs(stored, asked []byte) bool {
	return idem.Record{Fingerprint: stored}.DiffersFrom(asked)
}

// wantAgreement checks how two fingerprints compare, both ways round.
func wantAgreement(t *testing.T, name string, agree bool, one, other []byte) {
	t.Helper()
	if differs(one, other) == agree || differs(other, one) == agree {
		t.Errorf("%s: differs %v and %v; want them to agree: %v", name, differs(one, other), differs(other, one), agree)
	}
}

type currency string

type order struct {
	Cents    int64
	Currency currency
	Lines    []line
	hidden   string
}

type line struct {
	SKU    string            `json:"sku"`
	Labels map[string]string `json:"labels,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
}

func TestFingerprintOfOneDefinition(t *testing.T) {
	value := func(v any) idem.Part { return idem.Value("v", v) }
	str := func(s string) idem.Part { return idem.String("v", s) }
	at := time.Date(2024, 6, 1, 1, 30, 0, 0, time.FixedZone("", 7200))
	var nobody *order
	for _, tt := range []struct {
		name       string
		one, other idem.Part
		agree      bool
	}{
		{"numbers", value(1000), value(1000), true},
		{"other numbers", value(1000), value(1001), false},
		{"64 bits", value(int64(math.MaxInt64)), value(int64(math.MaxInt64 - 1)), false},
		{"other zeroes", value(0), value(""), false},
		{"nil and nothing", value(nil), value([]int{}), false},
		{"nil and nil pointer", value(nil), value(nobody), true},
		{"an empty struct", value(struct{}{}), value(struct{}{}), true},
		{"an empty map of structs that hide", value([]hidden{}), value(map[string]hidden{}), false},
		{"nothing in a field", value(line{}), value(map[string]any{"sku": ""}), true},
		{"nil is there", value(nil), idem.Missing("v"), false},
		{"both out of reach", idem.Missing("v"), idem.Missing("v"), true},
		{"one out of reach", idem.Missing("v"), value(1), false},
		{"empty and out of reach", str(""), idem.Missing("v"), true},
		{"text and out of reach", idem.Lower(str("a")), idem.Missing("v"), false},
		{"trimmed to nothing", idem.Trim(str(" ")), idem.Trim(str("")), true},
		{"lower", idem.Lower(str("EUR")), idem.Lower(str("eur")), true},
		{"not lower", str("EUR"), str("eur"), false},
		{"date", idem.Date("v", at), idem.Date("v", at.Add(-time.Hour)), true},
		{"another date", idem.Date("v", at), idem.Date("v", at.Add(time.Hour)), false},
		{"maps", value(map[string]any{"a": 1, "b": map[int]int{2: 1, 10: 2}}), value(map[string]any{"b": map[int]int{10: 2, 2: 1}, "a": 1}), true},
		{"structs", value(order{Cents: 1, hidden: "x"}), value(order{Cents: 1, hidden: "y"}), true},
		{"nested", value(order{Lines: []line{{SKU: "a"}}}), value(order{Lines: []line{{SKU: "b"}}}), false},
		{"order of a list", value([]int{1, 2}), value([]int{2, 1}), false},
		{"raw JSON in a struct", value(line{Raw: json.RawMessage(`{"a":1, "b":2}`)}), value(line{Raw: json.RawMessage(`{"b":2,"a":1}`)}), true},
		{"raw JSON in a map in a list", value([]any{map[string]any{"r": json.RawMessage(`{"a":1,"b":{"c":[],"d":{}}}`)}}),
			value([]any{map[string]any{"r": json.RawMessage(`{"b":{"d":{},"c":[]},"a":1}`)}}), true},
		{"other raw JSON in a struct", value(line{Raw: json.RawMessage(`{"a":1}`)}), value(line{Raw: json.RawMessage(`{"a":1.0}`)}), false},
		{"markup", value("<&>"), value(`\u003c\u0026\u003e`), false},
		{"a real U+FFFD and its escape", value("\ufffd"), value(json.RawMessage(`"\ufffd"`)), true},
		{"raw bytes that are not UTF-8", value(json.RawMessage("\"\xff\"")), value(json.RawMessage("\"\xfe\"")), false},
		{"JSON", idem.JSON("v", `{"a":[1,{"x":1,"y":2}]}`), idem.JSON("v", []byte(` {"a" : [1, {"y":2,"x":1}] } `)), true},
		{"other JSON", idem.JSON("v", `{"a":1}`), idem.JSON("v", `{"a":2}`), false},
		{"no JSON", idem.JSON("v", ""), idem.JSON("v", []byte(nil)), true},
		{"no JSON, and out of reach", idem.JSON("v", ""), idem.Missing("v"), true},
		{"no JSON, and null", idem.JSON("v", ""), idem.JSON("v", json.RawMessage("null")), false},
	} {
		// Beside a value that agrees, before and after.
		beside := idem.Int("w", 7)
		wantAgreement(t, tt.name, tt.agree, fingerprint(t, tt.one), fingerprint(t, tt.other))
		wantAgreement(t, tt.name, tt.agree, fingerprint(t, beside, tt.one), fingerprint(t, beside, tt.other))
		wantAgreement(t, tt.name, tt.agree, fingerprint(t, tt.one, beside), fingerprint(t, tt.other, beside))
	}
}

// Where the directive was changed, there is nothing to compare.
func TestFingerprintsOfOtherDefinitions(t *testing.T) {
	one := []idem.Part{idem.Value("a", 1), idem.Lower(idem.String("b", "x"))}
	b := idem.String("b", "y")
	for name, other := range map[string][]idem.Part{
		"nothing":            nil,
		"one value less":     {idem.Value("a", 2)},
		"one value more":     {idem.Value("a", 2), idem.Lower(b), idem.Value("c", 3)},
		"another name":       {idem.Value("a", 2), idem.Lower(idem.String("B", "y"))},
		"another order":      {idem.Lower(b), idem.Value("a", 2)},
		"another kind":       {idem.Int("a", 2), idem.Lower(b)},
		"no verb":            {idem.Value("a", 2), b},
		"another verb":       {idem.Value("a", 2), idem.Trim(b)},
		"a verb more":        {idem.Value("a", 2), idem.Trim(idem.Lower(b))},
		"names that run on":  {idem.Value("ab", 2), idem.Lower(idem.String("", "y"))},
		"and one is missing": {idem.Missing("a"), b},
	} {
		wantAgreement(t, name, true, fingerprint(t, one...), fingerprint(t, other...))
	}
	// An order of verbs is another definition, too.
	wantAgreement(t, "lower|trim", true, fingerprint(t, idem.Trim(idem.Lower(b))), fingerprint(t, idem.Lower(idem.Trim(idem.String("b", "z")))))
	// Whatever a row may hold, nothing fails.
	for n := range len(fingerprint(t, one...)) {
		wantAgreement(t, "a part of the bytes", true, fingerprint(t, one...), fingerprint(t, one...)[:n])
	}
}

// No two lists of values meet, however they are cut.
func TestFingerprintsOfListsAreDistinct(t *testing.T) {
	values := []string{"", "a", "aa", "a,a", `"`, `\`, "\x00", "1", "null", "{}", "[]"}
	seen := map[string][]string{}
	for _, a := range values {
		for _, b := range values {
			sum := string(fingerprint(t, idem.Value("a", a), idem.Value("b", b)))
			if other, taken := seen[sum]; taken {
				t.Fatalf("%q and %q have one fingerprint", other, []string{a, b})
			}
			seen[sum] = []string{a, b}
		}
	}
}

type shy struct{}

func (shy) MarshalJSON() ([]byte, error) { return nil, errBroken }

type wordy struct{ text string }

func (w wordy) MarshalText() ([]byte, error)     { return []byte(w.text), nil }
func (w *wordy) UnmarshalText(text []byte) error { w.text = string(text); return nil }

type hidden struct{ n int }

type egg struct{ *Hen }

type Hen struct {
	*egg
	N int `json:"-"`
}

// What cannot be compared is told before anybody asks for the key.
func TestFingerprintErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		part idem.Part
		text string
	}{
		{"not a number", idem.Value("order.Rate", math.NaN()), "json: unsupported value: NaN"},
		{"infinite", idem.Value("order.Rate", math.Inf(1)), "json: unsupported value: +Inf"},
		{"a channel", idem.Value("order.Rate", make(chan int)), "json: unsupported type: chan int"},
		{"not UTF-8", idem.Value("order.Rate", order{Currency: "a\xff"}), "a string in it is not valid UTF-8, which JSON cannot hold"},
		{"a name that is not UTF-8", idem.Value("order.Rate", map[string]int{"a\xff": 1}), "a string in it is not valid UTF-8, which JSON cannot hold"},
		{"a name that has a text, too", idem.Value("order.Rate", map[namedKey]int{"a\xff": 1}), "a string in it is not valid UTF-8, which JSON cannot hold"},
		{"a struct that hides its fields", idem.Value("order.Rate", map[string]any{"a": []any{&hidden{1}}}), "a struct in it shows JSON none of its fields"},
		{"an error", idem.Value("order.Rate", errors.New("a")), "a struct in it shows JSON none of its fields"},
		{"structs that embed each other", idem.Value("order.Rate", egg{}), "a struct in it shows JSON none of its fields"},
		{"text that is not UTF-8", idem.Value("order.Rate", wordy{"a\xff"}), "a string in it is not valid UTF-8, which JSON cannot hold"},
		{"its own MarshalJSON", idem.Value("order.Rate", []any{shy{}}), "json: error calling MarshalJSON for type runtime_test.shy: cannot marshal"},
		{"a panic", idem.Value("order.Rate", panics{}), "panic: no JSON today"},
		{"MarshalText", idem.Lower(idem.Text("order.Rate", broken{N: 1})), "cannot marshal"},
		{"two properties", idem.Value("order.Rate", json.RawMessage(`{"a":1,"b":{"c":1,"\u0063":1}}`)), `two properties "c" in one object`},
		{"two properties far apart", idem.JSON("order.Rate", `[{"b":1,"a":0,"c":2,"b":1}]`), `two properties "b" in one object`},
		{"two properties of a control character", idem.JSON("order.Rate", `{"\n":1,"\u000A":2}`), `two properties "\u000a" in one object`},
		{"two properties of a long name", idem.JSON("order.Rate", `{"`+strings.Repeat("x", 50)+`":1,"`+strings.Repeat("x", 50)+`":2}`), `two properties "` + strings.Repeat("x", 39) + ` in one object`},
		{"half JSON", idem.JSON("order.Rate", `{"a":1`), "unexpected end of JSON input"},
		{"white space", idem.JSON("order.Rate", " "), "unexpected end of JSON input"},
		{"more than JSON", idem.JSON("order.Rate", `{}{}`), "invalid character '{' after top-level value"},
		{"no JSON", idem.JSON("order.Rate", []byte("{'a':1}")), `invalid character '\'' looking for beginning of object key string`},
		{"a byte order mark", idem.JSON("order.Rate", "\ufeff{}"), "invalid character 'ï' looking for beginning of value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := idem.NewFingerprint(idem.Value("order.Cents", 1), tt.part)
			if data, err := f.Bytes(); err == nil || data != nil {
				t.Errorf("bytes %x, error %v", data, err)
			}
			store := &scripted{} // panics on a completion
			store.claimed = func(idem.ClaimRequest) (idem.Record, error) {
				t.Error("the store was asked")
				return idem.Record{}, errors.New("no")
			}
			_, err := idem.Claim[receipt](t.Context(), store, leased, key, idem.WithFingerprint(f))
			var keyErr *idem.KeyError
			if !errors.As(err, &keyErr) || !keyErr.Fingerprint || !slices.Equal(keyErr.Parts, []string{"order.Rate"}) || keyErr.Handler != "notify" {
				t.Fatalf("error %#v; want a KeyError of the part", err)
			}
			if !errors.Is(err, idem.ErrBadPart) || errors.Is(err, idem.ErrEmptyKeyPart) || keyErr.Key != key {
				t.Errorf("error %#v; want ErrBadPart, with the key", err)
			}
			if want := `idem: fingerprint of notify "notify:1": {order.Rate}: ` + tt.text; err.Error() != want {
				t.Errorf("error %q; want %q", err, want)
			}
			if strings.Contains(tt.text, "cannot marshal") && !errors.Is(err, errBroken) {
				t.Errorf("error %v does not wrap the cause", err)
			}
		})
	}
}

// The bytes of stored fingerprints: where they change, no older run is compared
// any more.
// stableBytes are the hash of the names, and a line for each value.
const stableBytes = "c05686b2fefac5d4f319e42b8619d045" +
	"0c007902699be42c8a8e46fbbb4501726517" +
	"0d0063c9663de90ee828bbda6cd9acf02d0c" +
	"0109ba1e95c8297bf091ce7f0562a6a2f640" +
	"09003b951b590318d747c393682077417321" +
	"0a001fa2ff0d94efe9a18ac14dd6f7d2e415" +
	"0b00cf904b6221c13225b0db049a9f554f07" +
	"0303e0bc614e4fd035a488619799853b0751" +
	"0400b5bea41b6c623f7c09f1bf24dcae58eb" +
	"000000000000000000000000000000000000"

func TestFingerprintBytesAreStable(t *testing.T) {
	at := time.Date(2024, 6, 1, 1, 30, 0, 0, time.UTC)
	got := fingerprint(t, idem.Value("order.Cents", 7), idem.JSON("body", `{"b":1,"a":[2]}`), idem.Lower(idem.Trim(idem.String("order.Currency", " EUR"))),
		idem.Date("at", at), idem.Hour("at", at), idem.Unix("at", at), idem.Hash(idem.Uint("n", uint(1))), idem.Bool("ok", true), idem.Missing("none"))
	if want := stableBytes; hex.EncodeToString(got) != want {
		t.Errorf("got %x; want %s", got, want)
	}
}

// Values that are equal to encoding/json, if it is asked as it is by default,
// and not to anybody else.
func TestFingerprintsOfOwnMethods(t *testing.T) {
	value := func(v any) []byte { return fingerprint(t, idem.Value("v", v)) }
	for _, tt := range []struct {
		name       string
		one, other any
	}{
		{"a pointer's method", decimal{1}, decimal{2}},
		{"a pointer's method in a field", struct{ D decimal }{decimal{1}}, struct{ D decimal }{decimal{2}}},
		{"a pointer's method in an array", [1]decimal{{1}}, [1]decimal{{2}}},
		{"a big number", struct{ N big.Int }{*big.NewInt(100)}, struct{ N big.Int }{*big.NewInt(999999)}},
		{"a U+FFFD, and none", "C:\\ufffd.txt", "C:\\ufffe.txt"},
		{"bytes that it writes itself", ownBytes("\xff"), ownBytes("\xfe")},
		{"an escape of its own", struct {
			C    onlyWritten
			Body json.RawMessage
		}{1, json.RawMessage(`"\ufffd"`)}, struct {
			C    onlyWritten
			Body json.RawMessage
		}{2, json.RawMessage(`"\ufffd"`)}},
	} {
		wantAgreement(t, tt.name, true, value(tt.one), value(tt.one))
		wantAgreement(t, tt.name, false, value(tt.one), value(tt.other))
	}
}

// ownBytes is written in a way that has the sign for what is not UTF-8, and
// loses nothing.
type ownBytes string

func (o ownBytes) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `"\ufffd%x"`, string(o)), nil
}

// namedKey is a string, and encoding/json takes it for one in a map's keys.
type namedKey string

func (namedKey) MarshalText() ([]byte, error) { return []byte("key"), nil }

type decimal struct{ n int }

func (d *decimal) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(d.n), 10), nil }

func (d *decimal) UnmarshalJSON(data []byte) (err error) {
	d.n, err = strconv.Atoi(string(data))
	return err
}

type onlyWritten int

func (o onlyWritten) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(o), 10), nil }

func TestClaimSendsTheFingerprint(t *testing.T) {
	var got idem.ClaimRequest
	store := &scripted{claimed: func(req idem.ClaimRequest) (idem.Record, error) {
		got = req
		return running(req, req.Owner), nil
	}}
	parts := []idem.Part{idem.Value("order.Cents", 1000), idem.Lower(idem.String("order.Currency", "EUR"))}
	for _, tt := range []struct {
		opts []idem.ClaimOption
		want []byte
	}{
		{nil, nil},
		{[]idem.ClaimOption{idem.WithFingerprint(idem.Fingerprint{})}, nil},
		{[]idem.ClaimOption{idem.WithFingerprint(idem.NewFingerprint())}, nil},
		{[]idem.ClaimOption{idem.WithFingerprint(idem.NewFingerprint(parts...))}, fingerprint(t, parts...)},
	} {
		if _, err := idem.Claim[receipt](t.Context(), store, leased, key, tt.opts...); err != nil || !reflect.DeepEqual(got.Fingerprint, tt.want) {
			t.Errorf("the store got %x, error %v; want %x", got.Fingerprint, err, tt.want)
		}
	}
}

// The error names what differs, whatever the run's state.
func TestReuseNamesTheValues(t *testing.T) {
	stored := fingerprint(t, idem.Value("order.Cents", 1), idem.Value("order.Currency", "eur"), idem.Missing("order.Note"))
	asked := idem.NewFingerprint(idem.Value("order.Cents", 2), idem.Value("order.Currency", "eur"), idem.String("order.Note", "x"))
	for _, status := range []idem.Status{idem.StatusRunning, idem.StatusWaiting, idem.StatusDone, idem.StatusFailed, idem.StatusDead} {
		store := &scripted{claimed: func(req idem.ClaimRequest) (idem.Record, error) {
			return idem.Record{Key: req.Key, Handler: req.Handler, Status: status, Result: []byte("{}"), Error: "no", Fingerprint: stored}, nil
		}}
		_, err := idem.Claim[receipt](context.Background(), store, leased, key, idem.WithFingerprint(asked))
		var runErr *idem.RunError
		if !errors.Is(err, idem.ErrKeyReuse) || !errors.As(err, &runErr) || errors.Is(err, idem.ErrFailed) || errors.Is(err, idem.ErrInProgress) {
			t.Fatalf("%s: error %v; want a RunError of ErrKeyReuse and nothing else", status, err)
		}
		if want := `idem: claim notify "notify:1": key stands for other work: claimed with another {order.Cents}, {order.Note}`; err.Error() != want {
			t.Errorf("%s: error %q; want %q", status, err, want)
		}
	}
}
