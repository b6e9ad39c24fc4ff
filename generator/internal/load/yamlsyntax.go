package load

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// failure is where the parser gave up. It tells its message and mostly the
// line of what it was reading; how far it had read we count.
type failure struct {
	msg  string
	line int // as YAML counts
	at   int // offset, a little behind the cause
}

// diagnosis says, in our words and at its place, what a message of the parser
// means. It reports whether it could.
type diagnosis struct {
	message string // its beginning
	tell    func(*yamlReader, failure) bool
}

var diagnoses = []diagnosis{
	{"found incompatible YAML document", (*yamlReader).otherYAML},
	{"", (*yamlReader).toParser},
	{"found unexpected end of stream", (*yamlReader).openQuote},
	{"found unexpected document indicator", (*yamlReader).openQuote},
	{"found a tab character", (*yamlReader).tabs},
	{"found character that cannot start any token", (*yamlReader).tabs},
	{"found character that cannot start any token", (*yamlReader).reserved},
	{"did not find expected alphabetic or numeric character", (*yamlReader).reserved},
	{"found unexpected non-alphabetical character", (*yamlReader).reserved},
	{"found unknown directive name", (*yamlReader).reserved},
	{"found undefined tag handle", (*yamlReader).foreignTag},
	{"found incompatible YAML document", (*yamlReader).otherYAML},
	{"found unknown escape character", (*yamlReader).escape},
	{"unknown anchor", (*yamlReader).anchor},
	{"mapping values are not allowed", (*yamlReader).secondColon},
	{"could not find expected ':'", (*yamlReader).noColon},
	{"block sequence entries are not allowed", (*yamlReader).listInLine},
	{"did not find expected <document start>", (*yamlReader).behindEnd},
	{"did not find expected", (*yamlReader).structure},
	{"did not find expected key", (*yamlReader).indentation},
	{"did not find expected '-' indicator", (*yamlReader).indentation},
}

// syntaxError tells why the file does not parse.
func (r *yamlReader) syntaxError(err error) {
	if r.conflict() {
		return
	}
	f := r.failure(err)
	for _, d := range diagnoses {
		if strings.HasPrefix(f.msg, d.message) && d.tell(r, f) {
			return
		}
	}
	r.addAt(r.indented(f.line), "not YAML: "+f.msg, "mend the line, or the one above")
}

// conflict tells the first mark of a merge that was left halfway.
func (r *yamlReader) conflict() bool {
	for line := 1; line <= len(r.lines); line++ {
		if spec.IsConflictMarker(r.text(line)) {
			r.addAt(r.lines[line-1], "a merge conflict is not resolved", "keep the lines of one side, or parts of both, and remove the markers")
			return true
		}
	}
	return false
}

var parserMessage = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// fromParser are the messages of the parser's second half, which counts lines
// from 0; its first half counts from 1.
var fromParser = regexp.MustCompile(`^did not find expected (<|node content|'-'|key|',' or)|^found (undefined tag|duplicate|incompatible)`)

// failure parses once more, byte by byte, to see how far the parser gets. A
// line in front keeps it from taking line 0 for none.
func (r *yamlReader) failure(err error) failure {
	const front = "#\n"
	text := &slowReader{Reader: io.MultiReader(strings.NewReader(front), bytes.NewReader(r.data))}
	if _, again := decodeYAML(text); again != nil {
		err = again
	}
	f := failure{msg: oneLine(err.Error()), at: min(max(0, text.count-len(front)), len(r.data))}
	f.line = r.line(f.at)
	m := parserMessage.FindStringSubmatch(f.msg)
	if m == nil {
		return f
	}
	f.msg = m[2]
	if line, err := strconv.Atoi(m[1]); err == nil {
		if !fromParser.MatchString(f.msg) {
			line--
		}
		f.line = min(max(1, line), len(r.lines))
	}
	return f
}

// slowReader gives byte by byte, and counts them.
type slowReader struct {
	io.Reader
	count int
}

func (r *slowReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p[:1])
	r.count += n
	return n, err
}

// badLine returns the line that a failure is in: up to it the file parses. The
// parser reads at most a few lines ahead.
func (r *yamlReader) badLine(f failure) int {
	last := r.line(f.at)
	for line := last; line > max(0, last-20); line-- {
		if _, err := decodeYAML(bytes.NewReader(r.data[:r.lines[line-1]])); err == nil {
			return line
		}
	}
	return last
}

// lineTokens returns the tokens of a line.
func (r *yamlReader) lineTokens(line int) []yamlToken {
	return r.tokens(r.lines[line-1], r.lines[line-1]+len(r.text(line)))
}

// openQuote tells where the quote is that the rest of the file lies in.
func (r *yamlReader) openQuote(f failure) bool {
	for _, token := range r.tokens(r.lines[f.line-1], len(r.data)) {
		if token.open {
			quote := r.data[token.start]
			r.addAt(token.start, fmt.Sprintf("the quote %c is not closed", quote), fmt.Sprintf("write a second %c where the text ends", quote))
			return true
		}
	}
	return false
}

// tabs tells the lines that are indented by tabs, if one is in the way.
func (r *yamlReader) tabs(f failure) bool {
	bad := r.line(f.at)
	if !r.tabbed(bad) {
		bad = f.line
	}
	if !r.tabbed(bad) {
		return false
	}
	for line := 1; line <= len(r.lines); line++ {
		if r.tabbed(line) {
			at := r.lines[line-1] + strings.IndexByte(r.text(line), '\t')
			r.addAt(at, "a tab in the indentation", "indent with spaces")
		}
	}
	return true
}

func (r *yamlReader) tabbed(line int) bool {
	return strings.HasPrefix(strings.TrimLeft(r.text(line), " "), "\t")
}

var alias = regexp.MustCompile(`^\*[A-Za-z0-9_-]+$`)

// reserved tells a text that begins with a sign which YAML keeps for itself.
func (r *yamlReader) reserved(f failure) bool {
	for _, token := range r.lineTokens(f.line) {
		text := string(r.data[token.start:token.end])
		if c := text[0]; strings.IndexByte("@`%*", c) >= 0 && !alias.MatchString(text) {
			r.addAt(token.start, fmt.Sprintf("a text cannot begin with %c", c), "quote it: "+strconv.Quote(text))
			return true
		}
	}
	return false
}

// otherYAML tells the line that asks for another version of YAML than the
// parser's.
func (r *yamlReader) otherYAML(f failure) bool {
	for line := f.line; line > 0; line-- {
		if text := r.text(line); strings.HasPrefix(text, "%YAML") {
			r.addAt(r.lines[line-1], strings.TrimSpace(text)+" is not the version of YAML that is read here", "remove the line")
			return true
		}
	}
	return false
}

// toParser tells a line at the top that begins with %, which speaks to the
// parser of YAML, and which it does not understand, or has no --- below.
func (r *yamlReader) toParser(f failure) bool {
	last := 0
	for line := 1; line <= f.line; line++ {
		switch text := r.text(line); {
		case strings.HasPrefix(text, "%"):
			last = line
		case len(r.lineTokens(line)) > 0 && (line < f.line || strings.HasPrefix(text, "---")):
			return false
		}
	}
	if last > 0 {
		r.addAt(r.lines[last-1], fmt.Sprintf("%s begins with %%, as instructions to a YAML parser do, and is none that can be followed here", strings.TrimSpace(r.text(last))), "remove the line")
	}
	return last > 0
}

// behindEnd tells what follows the document's end.
func (r *yamlReader) behindEnd(f failure) bool {
	line := r.badLine(f)
	if above := r.above(line); above > 0 && plainLine.MatchString(r.text(above)) {
		return r.strayKey(line)
	}
	r.addAt(r.indented(line), "the document has ended above this line", "put all keys into one map")
	return true
}

var plainLine = regexp.MustCompile(`^[^.{}\[\]:]+$`)

const tagCure = "remove it, or quote the text that begins with it"

// foreignTag tells a tag whose first part stands for nothing.
func (r *yamlReader) foreignTag(f failure) bool {
	text := r.text(f.line)
	at := strings.IndexByte(text, '!')
	if at < 0 {
		return false
	}
	tag := text[at : at+cut([]byte(text[at:]), blanks)]
	r.addAt(r.lines[f.line-1]+at, "the tag "+tag+" stands for nothing", tagCure)
	return true
}

// escape tells a backslash that means nothing.
func (r *yamlReader) escape(f failure) bool {
	at := bytes.LastIndexByte(r.data[:f.at], '\\')
	if at < 0 || at+1 >= len(r.data) {
		return false
	}
	r.addAt(at, fmt.Sprintf("%q means nothing between double quotes", r.data[at:at+2]), `write \\ for a backslash, or use single quotes`)
	return true
}

// anchor tells an alias of an anchor that does not stand above it.
func (r *yamlReader) anchor(f failure) bool {
	_, rest, _ := strings.Cut(f.msg, "'")
	name, _, _ := strings.Cut(rest, "'")
	at := bytes.LastIndex(r.data[:f.at], []byte("*"+name))
	if at < 0 {
		return false
	}
	r.addAt(at, "no anchor &"+name+" stands above this alias", "quote it, if it is a text: "+strconv.Quote("*"+name))
	return true
}
