package runtime

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxErrorBytes is how much of an error's text a row keeps.
const maxErrorBytes = 4 << 10

// textOf returns an error's text as it is stored. A typed nil, say, panics
// when it is asked; the row then tells that.
func textOf(err error) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = errorText(fmt.Sprintf("%T, whose text is a panic: %v", err, v))
		}
	}()
	return errorText(err.Error())
}

// errorText makes a text fit to be stored: valid UTF-8 without NUL, which
// Postgres refuses in text, and at most maxErrorBytes long.
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
