package spec

import (
	"fmt"
	"go/types"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The ends of the names of the Go output. The first two stand beside the
// source file, after its name; the last one after the handler's.
const (
	WrapperSuffix  = "_idem.go"
	RaceTestSuffix = "_idem_test.go"
	FixtureSuffix  = "_idem_fixture_test.go"
)

// SpecsFile is the output of a whole package, which declares SpecsFunc. No source
// file has a wrapper of its name.
const (
	SpecsFile = "idem_specs.go"
	SpecsFunc = "IdemSpecs"
)

// SourceOf returns what a Go output of this name is generated from, as its header
// says: jobs/notify.go for jobs/notify_idem.go and jobs/notify_idem_test.go, and
// words for a SpecsFile.
func SourceOf(name string) (source string, ok bool) {
	if filepath.Base(name) == SpecsFile {
		return "the handlers of this package", true
	}
	for _, suffix := range []string{WrapperSuffix, RaceTestSuffix} {
		if stem, ok := strings.CutSuffix(name, suffix); ok {
			return stem + ".go", true
		}
	}
	return "", false
}

// UpperFirst makes the first letter of a name upper-case.
func UpperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// LowerFirst makes the first word of a name lower-case: notify of Notify,
// urlFetcher of URLFetcher.
func LowerFirst(s string) string {
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

// Snake writes a name as SQL and file names do: external_event_id for
// ExternalEventID.
func Snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && startsWord(runes, i) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
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

// FormatDuration writes a duration as a user would: 30d, 2m, 1h30m.
func FormatDuration(d time.Duration) string {
	if d >= day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Deref returns what a pointer points to; all else is itself.
func Deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
