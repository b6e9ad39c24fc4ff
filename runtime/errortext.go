package runtime

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxErrorBytes is how much of an error's text a row keeps.
const maxErrorBytes = 4 << 10

// textOf returns an error's text as it is stored: its own, or what the program
// makes of it. A typed nil, say, panics when it is asked; the row then tells
// that.
func textOf(err error, own func(error) string) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = errorText(fmt.Sprintf("%T, whose text is a panic: %v", err, v))
		}
	}()
	if own != nil {
		return errorText(own(err))
	}
	return errorText(err.Error())
}

// panicError is what a handler panicked with, as an error.
func panicError(v any) error {
	if err, ok := v.(error); ok {
		return fmt.Errorf("panic: %w", err)
	}
	return fmt.Errorf("panic: %v", v)
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
