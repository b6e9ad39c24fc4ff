package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
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
		if p.missing && !p.optional && !slices.Contains(missing, p.name) {
			missing = append(missing, p.name)
		}
		size += max(len(p.text), len(absent))
	}
	if missing != nil {
		return "", &KeyError{Handler: s.Handler, Parts: missing, Err: ErrEmptyKeyPart}
	}
	var b strings.Builder
	b.Grow(size)
	for _, p := range parts {
		p.write(&b)
	}
	return shorten(b.String()), nil
}

// What an optional part that is not there encodes as, and what a value that
// looks like it does.
const (
	absent     = "-"
	realAbsent = "%2D"
)

func (p Part) write(b *strings.Builder) {
	switch {
	case p.missing:
		b.WriteString(absent)
	case p.kind == literal:
		b.WriteString(p.text)
	case p.optional && p.text == absent:
		b.WriteString(realAbsent)
	default:
		escape(b, p.text)
	}
}

// escape writes a value so that it is safe between literals.
func escape(b *strings.Builder, s string) {
	const digits = "0123456789ABCDEF"
	clean := 0 // where what is to be written as it is begins
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r < 0x20 || r == 0x7f || r == '%' || r == ':' || (r == utf8.RuneError && n == 1) {
			b.WriteString(s[clean:i])
			b.WriteByte('%')
			b.WriteByte(digits[s[i]>>4])
			b.WriteByte(digits[s[i]&0xf])
			clean = i + n
		}
		i += n
	}
	b.WriteString(s[clean:])
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
