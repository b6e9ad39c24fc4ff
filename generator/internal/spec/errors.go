package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Pos is a place in a file that the user wrote.
type Pos struct {
	File      string // slash-separated, relative to the root
	Line, Col int    // from 1; columns count bytes
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Error is one thing that is wrong, and how to mend it.
type Error struct {
	Pos  Pos
	Msg  string // what is wrong
	Cure string // how to mend it
}

func (e *Error) Error() string {
	if e.Cure == "" {
		return e.Pos.String() + ": " + e.Msg
	}
	return e.Pos.String() + ": " + e.Msg + "; " + e.Cure
}

// Errors is all that is wrong, in the order of the places.
type Errors []*Error

func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Add notes an error. What it cites of the source stays in one line.
func (es *Errors) Add(pos Pos, msg, cure string) {
	*es = append(*es, &Error{Pos: pos, Msg: oneLine(msg), Cure: oneLine(cure)})
}

// oneLine writes control characters as Go does: \n.
func oneLine(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Err returns nil if nothing is wrong, otherwise the errors sorted by place,
// each once.
func (es Errors) Err() error {
	if len(es) == 0 {
		return nil
	}
	sorted := slices.Clone(es)
	slices.SortStableFunc(sorted, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(a.Msg, b.Msg))
	})
	return slices.CompactFunc(sorted, func(a, b *Error) bool { return *a == *b })
}
