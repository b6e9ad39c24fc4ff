package spec

import (
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

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
