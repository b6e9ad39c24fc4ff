package main

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
)

// mutator breaks texts in small ways, the same ones for the same seed.
type mutator struct{ *rand.Rand }

func newMutator(seed uint64) mutator { return mutator{rand.New(rand.NewPCG(seed, 0))} }

// mutate breaks a text in one to three places. Half of them lie in what we
// read ourselves: directives and fields of YAML.
func (m mutator) mutate(text string) string {
	for range 1 + m.IntN(3) {
		start, end := 0, len(text)
		if at := ours.FindAllStringIndex(text, -1); at != nil && m.IntN(2) == 0 {
			pick := at[m.IntN(len(at))]
			start, end = pick[0], pick[1]
		}
		text = text[:start] + m.break1(text[start:end]) + text[end:]
	}
	return text
}

var (
	ours = regexp.MustCompile(`(?m)//idem:.*$|^[ -]*[a-z]+: .*$`)
	word = regexp.MustCompile(`[\pL\pN_]+|\s+|.`)
)

// break1 breaks a piece of a text in one place.
func (m mutator) break1(text string) string {
	if m.IntN(4) == 0 {
		return m.breakUnits(text, strings.SplitAfter(text, "\n"))
	}
	if m.IntN(20) == 0 {
		return text[:m.IntN(len(text)+1)]
	}
	return m.breakUnits(text, word.FindAllString(text, -1))
}

// breakUnits removes, doubles, swaps, replaces or inserts one of the units
// that a text is made of.
func (m mutator) breakUnits(text string, units []string) string {
	if len(units) == 0 {
		return text + m.odd()
	}
	i, j := m.IntN(len(units)), m.IntN(len(units))
	switch m.IntN(6) {
	case 0:
		units[i] = ""
	case 1:
		units[i] += units[i]
	case 2:
		units[i], units[j] = units[j], units[i]
	case 3:
		units[i] = units[j]
	case 4:
		units[i] = m.odd()
	case 5:
		units[i] += m.odd()
	}
	return strings.Join(units, "")
}

// odd returns what a text seldom has.
func (m mutator) odd() string { return oddities[m.IntN(len(oddities))] }

var oddities = []string{
	"\x00", "\xff", "\ufeff", "\u2028", "\r", "\r\n", "\t", "\n", " ", "é", "世", "{", "}", "{}", "|", "?", ":", "::", "*", "&", "!", "%",
	"\"", "'", "`", "/*", "*/", "//", "//idem:", "//line x.go:1", "...", ".", ",", "(", ")", "[", "]", "<<", "- ", "#", "0", "-1", "1e99",
	"99999999999999999999", "nil", "_", "func", "type", "struct", "interface", "map", "chan", "package", "import", "return", "any", "error",
	"context", "idem", "null", "true", "~", "---\n", "&a ", "*a", "date", "|hash", "|lower", "forever", "9999d", strings.Repeat("a", 300),
}

// within reports whether a place, counted in lines and bytes from 1, lies in
// a text or just behind one of its lines.
func within(text []byte, line, col int) bool {
	lines := bytes.Split(text, []byte("\n"))
	return 1 <= line && line <= len(lines) && 1 <= col && col <= len(lines[line-1])+1
}
