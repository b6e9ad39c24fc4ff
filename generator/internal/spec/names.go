package spec

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// qualified returns the handler's name in the package scope, where two
// methods of one name have to differ: Notify, ServiceNotify. It is exported
// only if the function is.
func (h *Handler) qualified() string {
	if h.Recv == nil {
		return h.Func
	}
	if first, _ := utf8.DecodeRuneInString(h.Func); unicode.IsUpper(first) {
		return upperFirst(h.Recv.Type) + upperFirst(h.Func)
	}
	return lowerFirst(h.Recv.Type) + upperFirst(h.Func)
}

// Base returns the unexported stem of the names that the output keeps to
// itself: notify, serviceNotify.
func (h *Handler) Base() string { return lowerFirst(h.qualified()) }

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowerFirst makes the first word lower-case: notify of Notify, urlFetcher of
// URLFetcher.
func lowerFirst(s string) string {
	runes := []rune(s)
	lower := []rune(s)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && startsWord(runes, i) {
			break
		}
		lower[i] = unicode.ToLower(r)
	}
	return string(lower)
}

// fixtureSuffix ends the name of the fixture file of a handler's tests.
const fixtureSuffix = "_idem_fixture_test.go"

// SnakeBase returns the handler's name as it stands in file names: notify_http
// for NotifyHTTP. Letters beyond ASCII become their code points, and it does
// not begin with an underscore, which would hide the file from Go.
func (h *Handler) SnakeBase() string {
	var b strings.Builder
	runes := []rune(h.qualified())
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && startsWord(runes, i) {
			b.WriteByte('_')
		}
		if r = unicode.ToLower(r); r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "u%04x", r)
		}
	}
	if name := strings.TrimLeft(b.String(), "_"); name != "" {
		return name
	}
	return "handler"
}

// startsWord reports whether the upper-case letter at i begins a word: after
// a lower-case letter or a digit, or as the last of a run that goes on in
// lower case, as the S of HTTPServer. The s of IDs is no word of its own.
func startsWord(runes []rune, i int) bool {
	before := runes[i-1]
	if before == '_' {
		return false
	}
	rest := string(runes[i+1:])
	return !unicode.IsUpper(before) || rest != "" && rest != "s" && unicode.IsLower(runes[i+1])
}
