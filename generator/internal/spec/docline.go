package spec

import (
	"regexp"
	"slices"
	"strings"
)

// anyDirective is a comment that Go takes for a directive, of whatever tool.
var anyDirective = regexp.MustCompile(`^[a-z0-9]+:[a-z0-9]`)

// docLine is a line of a doc comment. Its text is what stands behind the signs
// that make it a comment: only behind // it may begin without a space.
type docLine struct {
	Near
	text string
}

// docLines returns the lines of a doc comment but for those of code, which are
// indented more than others, as in Go's documentation.
func docLines(doc []string) []docLine {
	var lines []docLine
	for i, comment := range doc {
		if text, ok := strings.CutPrefix(comment, "//"); ok {
			near := Near{Comment: i, Text: strings.TrimRight(comment, blanks)}
			lines = append(lines, docLine{near, strings.TrimRight(text, blanks)})
			continue
		}
		lines = append(lines, blockLines(i, comment)...)
	}
	least := -1
	for _, l := range lines {
		if text := strings.Trim(l.text, blanks); text != "" && !anyDirective.MatchString(l.text) && (least < 0 || l.indent() < least) {
			least = l.indent()
		}
	}
	return slices.DeleteFunc(lines, func(l docLine) bool { return least >= 0 && l.indent() > least })
}

// indent is by how much a line's text is indented, where a space that follows the
// signs does not count.
func (l docLine) indent() int {
	text := strings.TrimPrefix(l.text, " ")
	return len(text) - len(strings.TrimLeft(text, " \t"))
}

// blockLines returns the lines of a comment between /* and */. Each may begin
// with stars.
func blockLines(comment int, block string) (lines []docLine) {
	for i, line := range strings.Split(block, "\n") {
		shown := strings.TrimLeft(line, blanks)
		near := Near{Comment: comment, Line: i, Col: len(line) - len(shown), Text: strings.TrimRight(shown, blanks)}
		text := strings.TrimSuffix(strings.TrimRight(line, blanks), "*/")
		if i == 0 {
			text = strings.TrimPrefix(text, "/")
		}
		if stars := strings.TrimLeft(text, blanks); strings.HasPrefix(stars, "*") {
			text = strings.TrimLeft(stars, "*")
		}
		if !strings.HasPrefix(text, " ") {
			text = " " + text
		}
		lines = append(lines, docLine{near, strings.TrimRight(text, blanks+"*")})
	}
	return lines
}
