package runtime

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxKeyBytes is the length, in bytes, of the longest [Key]. It lies below
// what a b-tree page takes and below the 255 bytes that payment and mail
// providers accept as an idempotency key.
const MaxKeyBytes = 200

// Key names one piece of work: the same text on every delivery of it, and
// another text for every other piece of work. Pass it to providers as their
// idempotency key; it does not change between attempts.
type Key string

// String returns the key's text.
func (k Key) String() string { return string(k) }

// Part is one piece of a key: a literal, or a value under the name that it
// has in the key template. The generated key functions build parts; see
// [Spec.Key].
type Part struct {
	name    string // of the placeholder, for errors; empty for a literal
	text    string // encoded
	missing bool
	err     error // from the value's own MarshalText
}

// absent is what an optional part that is not there encodes as.
const absent = "-"

// Literal is text of the template itself. It is not escaped.
func Literal(text string) Part { return Part{text: text} }

// String is a part of a string. The empty string is missing.
func String[T ~string](name string, v T) Part { return textPart(name, string(v), v == "") }

// Int is a part of a signed integer, in decimal. Zero is a value like any
// other: partition 0 and offset 0 exist.
func Int[T ~int | ~int8 | ~int16 | ~int32 | ~int64](name string, v T) Part {
	return Part{name: name, text: strconv.FormatInt(int64(v), 10)}
}

// Uint is a part of an unsigned integer, in decimal. Zero is a value.
func Uint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](name string, v T) Part {
	return Part{name: name, text: strconv.FormatUint(uint64(v), 10)}
}

// Bool is a part of a bool: true or false.
func Bool[T ~bool](name string, v T) Part {
	return Part{name: name, text: strconv.FormatBool(bool(v))}
}

// Bytes is a part of a byte slice, in lower-case hexadecimal. No bytes at
// all are missing.
func Bytes[T ~[]byte](name string, v T) Part {
	return Part{name: name, text: hex.EncodeToString(v), missing: len(v) == 0}
}

// ByteArray is a part of a byte array, passed as a slice of it, in lower-case
// hexadecimal. An array of zeroes is missing: it is what an identifier that
// nobody set looks like.
func ByteArray(name string, v []byte) Part {
	return Part{name: name, text: hex.EncodeToString(v), missing: allZero(v)}
}

// Text is a part of a value that marshals itself to text, such as a UUID. A
// zero value, and one that marshals to nothing, are missing.
func Text[T encoding.TextMarshaler](name string, v T) Part {
	if isZero(v) {
		return Part{name: name, missing: true}
	}
	text, err := v.MarshalText()
	if err != nil {
		return Part{name: name, err: err}
	}
	return textPart(name, string(text), len(text) == 0)
}

// Stringer is a part of a value that has a String method and no MarshalText.
// A zero value, and one whose text is empty, are missing.
func Stringer[T fmt.Stringer](name string, v T) Part {
	if isZero(v) {
		return Part{name: name, missing: true}
	}
	text := v.String()
	return textPart(name, text, text == "")
}

// Missing is a part whose value cannot be reached, because a pointer on the
// way to it is nil.
func Missing(name string) Part { return Part{name: name, missing: true} }

// Optional lets a part be missing: it then encodes as "-", and a value that
// really is "-" as "%2D".
func Optional(p Part) Part {
	switch {
	case p.missing:
		return Part{name: p.name, text: absent}
	case p.text == absent:
		p.text = "%2D"
	}
	return p
}

// Key joins the parts into a key. Distinct values give distinct keys: in
// values, '%', ':', control bytes and bytes that are not UTF-8 become %XX, so
// that no value reaches over the literal beside it. A key longer than
// [MaxKeyBytes] keeps its beginning and ends in "%sha256-" and the hash of
// the whole; no shorter key can look like that, since '%' in a value is
// always followed by two digits.
//
// A part that is missing gives a [*KeyError] that wraps [ErrEmptyKeyPart];
// one that cannot be marshalled gives a *KeyError that wraps the cause.
func (s Spec) Key(parts ...Part) (Key, error) {
	var missing []string
	size := 0
	for _, p := range parts {
		if p.err != nil {
			return "", &KeyError{Handler: s.Handler, Parts: []string{p.name}, Err: p.err}
		}
		if p.missing {
			missing = append(missing, p.name)
		}
		size += len(p.text)
	}
	if missing != nil {
		return "", &KeyError{Handler: s.Handler, Parts: missing, Err: ErrEmptyKeyPart}
	}
	var b strings.Builder
	b.Grow(size)
	for _, p := range parts {
		b.WriteString(p.text)
	}
	return shorten(b.String()), nil
}

func textPart(name, text string, missing bool) Part {
	return Part{name: name, text: escape(text), missing: missing}
}

// escape makes a value safe between literals. The common case, nothing to
// escape, returns the string itself.
func escape(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		c := s[i]
		clean = c >= 0x20 && c < utf8.RuneSelf && c != 0x7f && c != '%' && c != ':'
	}
	if clean {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r < 0x20 || r == 0x7f || r == '%' || r == ':' || (r == utf8.RuneError && n == 1) {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// shorten brings a key below MaxKeyBytes.
func shorten(key string) Key {
	if len(key) <= MaxKeyBytes {
		return Key(key)
	}
	sum := sha256.Sum256([]byte(key))
	tail := "%sha256-" + hex.EncodeToString(sum[:])
	cut := MaxKeyBytes - len(tail)
	for !utf8.RuneStart(key[cut]) {
		cut--
	}
	return Key(key[:cut] + tail)
}

func allZero(v []byte) bool {
	for _, b := range v {
		if b != 0 {
			return false
		}
	}
	return true
}

// isZero reports whether a value is one that nobody set, by its own IsZero
// where it has one.
func isZero[T any](v T) bool {
	rv := reflect.ValueOf(&v).Elem()
	if rv.Kind() == reflect.Pointer {
		if rv.IsNil() {
			return true
		}
		rv = rv.Elem()
	}
	if z, ok := any(v).(interface{ IsZero() bool }); ok {
		return z.IsZero()
	}
	return rv.IsZero()
}
