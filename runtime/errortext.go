package runtime

import (
	"strings"
	"unicode/utf8"
)

// maxErrorBytes is how much of an error's text a row keeps.
const maxErrorBytes = 4 << 10

// errorText makes an error's text fit to be stored: valid UTF-8 without NUL,
// which Postgres refuses in text, and at most maxErrorBytes long.
func errorText(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= maxErrorBytes {
		return s
	}
	cut := maxErrorBytes
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}
