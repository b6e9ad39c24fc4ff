package runtime_test

import (
	"encoding"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

var spec = idem.Spec{Handler: "notify"}

// uuid is what UUID packages have: an array of bytes that marshals to text.
type uuid [16]byte

func (u uuid) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%x-%x", u[:4], u[4:]), nil }

type code int

func (c code) String() string {
	if c == 7 {
		return ""
	}
	return fmt.Sprintf("code:%d", int(c))
}

type broken struct{ N int }

var errBroken = errors.New("cannot marshal")

func (broken) MarshalText() ([]byte, error) { return nil, errBroken }

// sometimes says by itself when it is zero, as time.Time and netip.Addr do.
type sometimes struct{ unset bool }

func (s sometimes) IsZero() bool                 { return s.unset }
func (s sometimes) MarshalText() ([]byte, error) { return []byte("x"), nil }

func TestKeyParts(t *testing.T) {
	for _, tt := range []struct {
		name string
		part idem.Part
		want string // empty: the part is missing
	}{
		{"string", idem.String("p", "evt_1"), "evt_1"},
		{"empty string", idem.String("p", ""), ""},
		{"blank string", idem.String("p", " "), " "},
		{"dash is not absent", idem.String("p", "-"), "-"},
		{"colon", idem.String("p", "a:b"), "a%3Ab"},
		{"percent", idem.String("p", "a%3Ab"), "a%253Ab"},
		{"NUL and control bytes", idem.String("p", "\x00\n\x1f\x7f"), "%00%0A%1F%7F"},
		{"not UTF-8", idem.String("p", "a\xffb\xc3"), "a%FFb%C3"},
		{"surrogate in UTF-8", idem.String("p", "\xed\xa0\x80"), "%ED%A0%80"},
		{"a real U+FFFD", idem.String("p", "\uFFFD"), "\uFFFD"},
		{"other letters", idem.String("p", "zürich 東京"), "zürich 東京"},
		{"int", idem.Int("p", -3), "-3"},
		{"int zero is a value", idem.Int("p", 0), "0"},
		{"int64", idem.Int("p", int64(-1<<63)), "-9223372036854775808"},
		{"uint64", idem.Uint("p", ^uint64(0)), "18446744073709551615"},
		{"uint zero is a value", idem.Uint("p", uint8(0)), "0"},
		{"false is a value", idem.Bool("p", false), "false"},
		{"true", idem.Bool("p", true), "true"},
		{"bytes", idem.Bytes("p", []byte{0, 0xab}), "00ab"},
		{"zero bytes are bytes", idem.Bytes("p", []byte{0}), "00"},
		{"no bytes", idem.Bytes("p", []byte{}), ""},
		{"nil bytes", idem.Bytes("p", []byte(nil)), ""},
		{"byte array", idem.ByteArray("p", []byte{1, 2}), "0102"},
		{"zero byte array", idem.ByteArray("p", make([]byte, 16)), ""},
		{"text", idem.Text("p", uuid{1}), "01000000-000000000000000000000000"},
		{"zero UUID", idem.Text("p", uuid{}), ""},
		{"text with a colon", idem.Text("p", netip.MustParseAddr("::1")), "%3A%3A1"},
		{"pointer to text", idem.Text("p", big.NewInt(12)), "12"},
		{"nil pointer to text", idem.Text("p", (*big.Int)(nil)), ""},
		{"its own IsZero", idem.Text("p", sometimes{unset: true}), ""},
		{"its own IsZero, set", idem.Text("p", sometimes{}), "x"},
		{"its own IsZero, behind a nil interface", idem.Text("p", encoding.TextMarshaler(nil)), ""},
		{"stringer", idem.Stringer("p", code(4)), "code%3A4"},
		{"stringer of nothing", idem.Stringer("p", code(7)), ""},
		{"stringer of zero", idem.Stringer("p", code(0)), ""},
		{"out of reach", idem.Missing("p"), ""},
		{"optional, there", idem.Optional(idem.String("p", "a")), "a"},
		{"optional, absent", idem.Optional(idem.String("p", "")), "-"},
		{"optional, out of reach", idem.Optional(idem.Missing("p")), "-"},
		{"optional, a real dash", idem.Optional(idem.String("p", "-")), "%2D"},
		{"optional, the escape of a dash", idem.Optional(idem.String("p", "%2D")), "%252D"},
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

func wantEmpty(t *testing.T, key idem.Key, err error, parts ...string) {
	t.Helper()
	var keyErr *idem.KeyError
	if !errors.Is(err, idem.ErrEmptyKeyPart) || !errors.As(err, &keyErr) {
		t.Fatalf("key %q, error %v; want a KeyError that wraps ErrEmptyKeyPart", key, err)
	}
	if key != "" || keyErr.Handler != "notify" || strings.Join(keyErr.Parts, " ") != strings.Join(parts, " ") {
		t.Errorf("key %q, handler %q, parts %q; want no key, notify, %q", key, keyErr.Handler, keyErr.Parts, parts)
	}
}

// All, some or no parts missing; every missing one is named.
func TestKeyNamesEveryMissingPart(t *testing.T) {
	a, b, none := idem.String("event.A", "1"), idem.String("event.B", "2"), idem.Missing
	_, err := spec.Key(idem.Literal("notify:"), a, idem.Literal(":"), b)
	if err != nil {
		t.Errorf("no part missing: %v", err)
	}
	key, err := spec.Key(idem.Literal("notify:"), a, idem.Literal(":"), none("event.B"))
	wantEmpty(t, key, err, "event.B")
	key, err = spec.Key(idem.Literal("notify:"), none("event.A"), idem.Literal(":"), none("event.B"))
	wantEmpty(t, key, err, "event.A", "event.B")
	if want := "idem: key of notify: {event.A}, {event.B}: empty key part"; err.Error() != want {
		t.Errorf("error %q; want %q", err, want)
	}
}

func TestKeyMarshalError(t *testing.T) {
	key, err := spec.Key(idem.Literal("notify:"), idem.Optional(idem.Text("event.ID", broken{N: 1})))
	var keyErr *idem.KeyError
	if key != "" || !errors.Is(err, errBroken) || !errors.As(err, &keyErr) || keyErr.Parts[0] != "event.ID" {
		t.Errorf("key %q, error %v; want no key and a KeyError of event.ID that wraps the cause", key, err)
	}
}

func TestKeyLength(t *testing.T) {
	key := func(value string) idem.Key {
		t.Helper()
		k, err := spec.Key(idem.Literal("notify:"), idem.String("p", value))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	fits := strings.Repeat("a", idem.MaxKeyBytes-len("notify:"))
	if got := key(fits); got != idem.Key("notify:"+fits) {
		t.Errorf("a key of exactly %d bytes was shortened to %q", idem.MaxKeyBytes, got)
	}
	long := key(fits + "a")
	if len(long) != idem.MaxKeyBytes || !strings.HasPrefix(string(long), "notify:aaa") || !strings.Contains(string(long), "%sha256-") {
		t.Errorf("long key %q, %d bytes", long, len(long))
	}
	if key(fits+"b") == long {
		t.Error("two long keys with one beginning are the same")
	}
	// Whoever may choose the value must not be able to name another's key.
	if forged := key(strings.TrimPrefix(string(long), "notify:")); forged == long {
		t.Error("a short value gives the key of a long one")
	}
	wide := key(strings.Repeat("東", 100))
	if len(wide) > idem.MaxKeyBytes || strings.ToValidUTF8(string(wide), "") != string(wide) {
		t.Errorf("key %q is cut inside a character", wide)
	}
}

// Equal numbers give equal keys, however they came to be.
func TestZeroOfBigNumbers(t *testing.T) {
	zeros := []*big.Int{big.NewInt(0), new(big.Int).Sub(big.NewInt(5), big.NewInt(5)), new(big.Int).SetBytes([]byte{0})}
	for i, zero := range zeros {
		for name, part := range map[string]idem.Part{"pointer": idem.Text("n", zero), "optional": idem.Optional(idem.Text("n", zero))} {
			key, err := spec.Key(idem.Literal("notify:"), part)
			if name == "optional" && (key != "notify:-" || err != nil) || name != "optional" && !errors.Is(err, idem.ErrEmptyKeyPart) {
				t.Errorf("zero %d, %s: key %q, error %v; want the same for every zero", i, name, key, err)
			}
		}
	}
	if key, err := spec.Key(idem.Literal("notify:"), idem.Text("n", big.NewInt(-7))); key != "notify:-7" || err != nil {
		t.Errorf("key %q, error %v", key, err)
	}
}
