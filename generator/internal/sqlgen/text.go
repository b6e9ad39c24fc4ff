package sqlgen

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// quotes are what a dialect puts around a name that is a reserved word.
// SQLite takes a name in double quotes for a string if there is no such
// column, which would make a wrong query of a typing error.
var quotes = map[spec.Dialect]string{spec.Postgres: `"`, spec.SQLite: "`"}

// quote returns a checked name as a statement has to write it.
func quote(d spec.Dialect, name string) string {
	words := strings.Split(name, ".")
	for i, word := range words {
		if reserved[word] {
			words[i] = quotes[d] + word + quotes[d]
		}
	}
	return strings.Join(words, ".")
}

// literal returns a text as an SQL literal.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// clean makes a text fit for a line of a comment.
func clean(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029'
	}), " ")
}

const (
	commentWidth  = 78
	commentPrefix = "-- "
)

var numberedParagraph = regexp.MustCompile(`^-- \d\. `)

// wrapComments fills the lines of each paragraph of the comments, which
// names and numbers made uneven. The lines of a numbered paragraph stay
// indented; lines that are indented further, and the file's first, stay.
func wrapComments(sql string) []byte {
	out := bytes.NewBuffer(make([]byte, 0, len(sql)+len(sql)/8))
	var paragraph []string
	for line := range strings.Lines(sql) {
		text, isComment := strings.CutPrefix(line, commentPrefix)
		if isComment && out.Len() > 0 && !strings.HasPrefix(text, "    ") {
			paragraph = append(paragraph, line)
			continue
		}
		wrap(out, paragraph)
		out.WriteString(line)
		paragraph = paragraph[:0]
	}
	wrap(out, paragraph)
	return out.Bytes()
}

// wrap fills lines with the words of a paragraph.
func wrap(out *bytes.Buffer, paragraph []string) {
	if len(paragraph) == 0 {
		return
	}
	begin := indentation(paragraph[0])
	indent := begin
	if numberedParagraph.MatchString(paragraph[0]) {
		indent += "   "
	}
	width := 0 // of the line so far
	for _, line := range paragraph {
		for word := range strings.FieldsSeq(line[len(commentPrefix):]) {
			switch {
			case width == 0:
				width, _ = out.WriteString(begin)
			case width+1+len(word) > commentWidth:
				out.WriteByte('\n')
				width, _ = out.WriteString(indent)
			default:
				out.WriteByte(' ')
				width++
			}
			out.WriteString(word)
			width += len(word)
		}
	}
	out.WriteByte('\n')
}

// indentation returns what a comment's line has before its first word.
func indentation(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, "- "))]
}
