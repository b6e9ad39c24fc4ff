package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// verbs are what changed a part's text, in their order, the last one in the
// lowest bits. More than four in a row say no more than four.
type verbs uint8

const (
	lowered verbs = iota + 1
	trimmed
	hashed
)

func (p Part) with(verb verbs, text string) Part {
	p.verbs, p.text = p.verbs<<2|verb, text
	return p
}

// Lower turns a part's text into lower case, letter by letter as Unicode has
// it. Bytes that are not UTF-8 stay as they are.
func Lower(p Part) Part { return p.with(lowered, lower(p.text)) }

// Trim takes the white space, as Unicode has it, off both ends of a part's
// text. A part that is empty then is missing.
func Trim(p Part) Part {
	p = p.with(trimmed, strings.TrimSpace(p.text))
	p.missing = p.missing || p.text == ""
	return p
}

// Hash replaces a part's text by its SHA-256, in lower-case hexadecimal: for
// values that are secret, or longer than a key. A secret with few others of its
// kind can be found by trying. A part that is missing stays so.
func Hash(p Part) Part {
	if p.err != nil {
		p.err = errHidden // what the value says of itself may be the value
	}
	sum := sha256.Sum256([]byte(p.text))
	return p.with(hashed, hex.EncodeToString(sum[:]))
}

var errHidden = errors.New("the value has no text; why is not told of one that is hashed")

// Optional lets a part be missing: in a key it then encodes as "-", and a
// value that really is "-" as "%2D".
func Optional(p Part) Part {
	p.optional = true
	return p
}

// lower is strings.ToLower, which makes one and the same of all bytes that
// are not UTF-8, for texts that have none.
func lower(s string) string {
	if utf8.ValidString(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			b.WriteByte(s[0])
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
		s = s[n:]
	}
	return b.String()
}
