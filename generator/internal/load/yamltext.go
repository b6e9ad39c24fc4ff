package load

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// yamlText is the text of a YAML file, and its places in three ways: as the
// parser counts them, as offsets, and as we tell them. YAML knows more line
// breaks than editors do, and counts characters where we count bytes.
type yamlText struct {
	file  string
	data  []byte // without a byte order mark
	lines []int  // offset of each line as YAML counts them
	ours  []int  // and as editors do
}

func newYAMLText(file string, data []byte) *yamlText {
	t := &yamlText{file: file, data: bytes.TrimPrefix(data, []byte("\ufeff")), lines: []int{0}, ours: []int{0}}
	for i := 0; i < len(t.data); {
		n := breakAt(t.data[i:])
		switch {
		case n == 0:
			i++
			continue
		case t.data[i+n-1] == '\n':
			t.ours = append(t.ours, i+n)
		}
		i += n
		t.lines = append(t.lines, i)
	}
	return t
}

// breakAt returns the length of the line break that a text begins with, or 0.
func breakAt(text []byte) int {
	for _, b := range []string{"\r\n", "\n", "\r", "\u0085", "\u2028", "\u2029"} {
		if bytes.HasPrefix(text, []byte(b)) {
			return len(b)
		}
	}
	return 0
}

// offset returns where a line and a column of the parser's are.
func (t *yamlText) offset(line, column int) int {
	if line < 1 || line > len(t.lines) {
		return len(t.data)
	}
	at := t.lines[line-1]
	for range column - 1 {
		_, size := utf8.DecodeRune(t.data[at:])
		at += size
	}
	return at
}

// pos returns the place of an offset. The end of the text counts as the end of
// its last line.
func (t *yamlText) pos(at int) spec.Pos {
	if at = min(at, len(t.data)); at == len(t.data) {
		at = len(bytes.TrimSuffix(bytes.TrimSuffix(t.data, []byte("\n")), []byte("\r")))
	}
	line, found := slices.BinarySearch(t.ours, at)
	if found {
		line++
	}
	return spec.Pos{File: t.file, Line: line, Col: at - t.ours[line-1] + 1}
}

// line returns the number, as YAML counts, of the line that an offset lies in.
func (t *yamlText) line(at int) int {
	line, found := slices.BinarySearch(t.lines, at)
	if found {
		line++
	}
	return line
}

// text returns a line without its break, by its number as YAML counts.
func (t *yamlText) text(line int) string {
	start, end := t.lines[line-1], len(t.data)
	if line < len(t.lines) {
		end = t.lines[line]
	}
	return string(bytes.TrimRight(t.data[start:end], "\r\n\u0085\u2028\u2029"))
}

// indented returns the offset of the first byte of a line that is no blank.
func (t *yamlText) indented(line int) int {
	text := t.data[t.lines[line-1]:]
	return len(t.data) - len(bytes.TrimLeft(text, " \t"))
}

// badCharacter returns the offset of what can stand in no YAML, or -1.
func (t *yamlText) badCharacter() int {
	for i := 0; i < len(t.data); {
		r, size := utf8.DecodeRune(t.data[i:])
		if r == utf8.RuneError && size == 1 || !printable(r) {
			return i
		}
		i += size
	}
	return -1
}

func printable(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return true
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return false
	}
	return true
}

// content returns the offset of the first byte of a scalar's text: behind its
// anchor, tag and opening quote, or in the first line below the | of a block.
func (t *yamlText) content(at int) int {
	for at < len(t.data) {
		switch c := t.data[at]; c {
		case '&', '!':
			at += cut(t.data[at:], " \t\r\n")
		case ' ', '\t', '\r', '\n':
			at++
		case '#':
			at += cut(t.data[at:], "\r\n")
		case '"', '\'':
			return at + 1
		case '|', '>':
			at += cut(t.data[at:], "\r\n")
			return len(t.data) - len(bytes.TrimLeft(t.data[at:], " \r\n"))
		default:
			return at
		}
	}
	return at
}

// cut returns the length of a text up to one of the bytes.
func cut(text []byte, stop string) int {
	if i := bytes.IndexAny(text, stop); i >= 0 {
		return i
	}
	return len(text)
}
