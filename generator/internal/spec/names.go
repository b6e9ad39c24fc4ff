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
		return UpperFirst(h.Recv.Type) + UpperFirst(h.Func)
	}
	return LowerFirst(h.Recv.Type) + UpperFirst(h.Func)
}

// Base returns the unexported stem of the names that the output keeps to
// itself: notify, serviceNotify.
func (h *Handler) Base() string { return LowerFirst(h.qualified()) }

// SnakeBase returns the handler's name as it stands in file names: notify_http
// for NotifyHTTP. Letters beyond ASCII become their code points, and it does
// not begin with an underscore, which would hide the file from Go.
func (h *Handler) SnakeBase() string {
	var b strings.Builder
	for _, r := range Snake(h.qualified()) {
		if r < utf8.RuneSelf {
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
