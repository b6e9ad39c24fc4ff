package spec

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// cured is a placeholder that a cure shows, if it is no example of one.
var cured = regexp.MustCompile(`(such as |each: |them: )?(\{[^{} ]+\})`)

// followCures does what each error of a source says, one at a time: a
// placeholder that a cure shows has no error of its own.
func followCures(t *testing.T, src string, errs Errors) {
	t.Helper()
	lines := strings.Split(src, "\n")
	for _, e := range errs {
		for _, m := range cured.FindAllStringSubmatch(e.Cure, -1) {
			line := lines[min(e.Pos.Line, len(lines))-1]
			start := strings.LastIndex(line[:min(e.Pos.Col, len(line))], "{")
			if m[1] != "" || start < 0 {
				continue
			}
			length := strings.Index(line[start:], "}") + 1
			mended := strings.Clone(line[:start]) + m[2] + line[start+length:]
			_, again := load(t, e.Pos.File, strings.Replace(src, line, mended, 1))
			for _, left := range again {
				told := func(e *Error) bool { return e.Pos == left.Pos && e.Cure == left.Cure }
				if at := left.Pos; !slices.ContainsFunc(errs, told) && at.Line == e.Pos.Line && at.Col > start && at.Col <= start+len(m[2]) {
					t.Errorf("%v: the cure has an error: %v", e, left)
				}
			}
		}
	}
}
