package load

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// secondColon tells a line with a colon too many. Where it has but one, the
// line above lacks one, or this one does not belong under it.
func (r *yamlReader) secondColon(f failure) bool {
	tokens := r.lineTokens(f.line)
	var colons []int
	for i, token := range tokens {
		if token.kind == ':' {
			colons = append(colons, i)
		}
	}
	switch {
	case len(colons) > 1 && colons[1] > colons[0]+1:
		return r.unquoted(tokens[colons[0]+1].start, false)
	case len(colons) == 1 && r.above(f.line) > 0:
		return r.strayKey(f.line)
	}
	return false
}

// strayKey tells a key that cannot stand where it does.
func (r *yamlReader) strayKey(line int) bool {
	tokens := r.lineTokens(r.above(line))
	for _, token := range tokens {
		if token.kind == ':' {
			r.addAt(r.indented(line), "the line is indented further than the one above, which has its value already", "indent it as its neighbours")
			return true
		}
	}
	last := tokens[len(tokens)-1]
	r.addAt(last.start, fmt.Sprintf("%s is no key with a value", r.data[last.start:last.end]), "put a colon and a space between the two")
	return true
}

// above returns the line with something in it that stands above another, or 0.
func (r *yamlReader) above(line int) int {
	for line--; line > 0; line-- {
		if len(r.lineTokens(line)) > 0 {
			return line
		}
	}
	return 0
}

// noColon tells a line without a key's colon.
func (r *yamlReader) noColon(f failure) bool {
	text := strings.TrimSpace(r.text(f.line))
	r.addAt(r.indented(f.line), fmt.Sprintf("%s is no key with a value", text), "put a colon and a space between the two")
	return true
}

// listInLine tells a list that begins behind a key.
func (r *yamlReader) listInLine(f failure) bool {
	for _, token := range r.lineTokens(f.line) {
		if token.kind == '-' && token.start > r.indented(f.line) {
			r.addAt(token.start, "a list cannot begin behind its key", "begin it in the next line, or write [ ] around it")
			return true
		}
	}
	return false
}

// indentation tells a line that belongs to nothing above it.
func (r *yamlReader) indentation(f failure) bool {
	line := r.badLine(f)
	at := r.indented(line)
	if text := r.text(line); len(strings.TrimSpace(text)) == 0 {
		return false
	}
	if rest := r.data[at:]; len(rest) > 1 && rest[0] == '-' && !isBlank(rest[1]) {
		r.addAt(at, "a dash without a space behind it begins no list entry", "write a space behind the dash")
		return true
	}
	r.addAt(at, "the indentation fits no line above", "indent the line as its neighbours")
	return true
}

// level is a { or [ that is being read, or a line outside of any.
type level struct {
	open   yamlToken
	first  yamlToken // of the value that is being read
	filled bool      // there is a first
	colons int       // of the pair that is being read
}

// nesting reads tokens until one does not fit.
type nesting struct {
	*yamlReader
	levels []level
	before yamlToken
}

// structure tells brackets that do not match, and texts that have to be quoted
// because of what is in them.
func (r *yamlReader) structure(f failure) bool {
	start, end := r.badLine(f), r.line(f.at)
	if strings.HasSuffix(f.msg, "or '}'") || strings.HasSuffix(f.msg, "or ']'") {
		start = f.line
	}
	n := &nesting{yamlReader: r, levels: []level{{}}}
	for _, token := range r.tokens(r.lines[start-1], r.lines[end-1]+len(r.text(end))) {
		if n.tell(token) {
			return true
		}
		n.before = token
	}
	return len(n.levels) > 1 && n.unclosed()
}

func (n *nesting) top() *level { return &n.levels[len(n.levels)-1] }

// inFlow reports whether a { or [ is open.
func (n *nesting) inFlow() bool { return len(n.levels) > 1 }

// tell reads a token, and tells what is wrong if it does not fit.
func (n *nesting) tell(token yamlToken) bool {
	top := n.top()
	newLine := n.line(n.before.end) < n.line(token.start)
	if newLine && !n.inFlow() {
		*top = level{}
	}
	switch token.kind {
	case ',', '-':
		top.filled, top.colons = false, 0
	case ':':
		if top.colons++; top.colons > 1 && top.filled && n.inFlow() {
			return n.unquoted(top.first.start, true)
		}
		top.filled = false
	case '}', ']':
		if n.mismatch(token) {
			return true
		}
		n.levels = n.levels[:len(n.levels)-1]
	default:
		return n.value(token, newLine)
	}
	return false
}

// value reads the beginning of a value. A plain text may go on in another
// line.
func (n *nesting) value(token yamlToken, newLine bool) bool {
	top := n.top()
	if token.kind == 'a' && n.data[token.start] == ',' {
		return n.unquoted(token.start, false)
	}
	goesOn := newLine && token.kind == 'a' && top.first.kind == 'a' && n.deeper(token)
	if top.filled && !goesOn {
		return n.adjacent(token, newLine)
	}
	if !top.filled {
		top.first, top.filled = token, true
	}
	if closing[token.kind] != 0 {
		n.levels = append(n.levels, level{open: token})
	}
	return false
}

// deeper reports whether a token lies further right than the line of the
// bracket that it would be in.
func (n *nesting) deeper(token yamlToken) bool {
	line, open := n.line(token.start), n.line(n.top().open.start)
	return token.start-n.lines[line-1] > n.indented(open)-n.lines[open-1]
}

var closing = map[byte]byte{'{': '}', '[': ']'}

func (n *nesting) unclosed() bool {
	open := n.top().open
	n.addAt(open.start, fmt.Sprintf("%c is not closed", open.kind), fmt.Sprintf("close it with %c, or quote the text that begins with it", closing[open.kind]))
	return true
}

func (n *nesting) mismatch(token yamlToken) bool {
	if !n.inFlow() {
		n.addAt(token.start, fmt.Sprintf("%c closes nothing", token.kind), "remove it, or quote the text that it is in")
		return true
	}
	open := n.top().open
	if closing[open.kind] == token.kind {
		return false
	}
	n.addAt(token.start, fmt.Sprintf("%c closes the %c at %s", token.kind, open.kind, n.pos(open.start)), fmt.Sprintf("write %c", closing[open.kind]))
	return true
}

// adjacent tells two values without a sign between them.
func (n *nesting) adjacent(token yamlToken, newLine bool) bool {
	first := n.top().first
	switch {
	case n.inFlow() && newLine && !n.deeper(token):
		return n.unclosed()
	case first.kind == '"' && n.line(first.start) < n.line(first.end):
		n.addAt(first.start, fmt.Sprintf("the text that is quoted here ends in line %d, and more follows it there", n.pos(first.end).Line), "close the quote where the text ends")
	case first.kind == '"':
		n.addAt(token.start, fmt.Sprintf("%s follows a quoted text", n.data[token.start:token.end]), "remove it, or quote the whole text")
	default:
		n.unquoted(first.start, n.inFlow())
	}
	return true
}

// unquoted tells a text that is none to YAML without quotes.
func (r *yamlReader) unquoted(at int, flow bool) bool {
	text := r.itemText(at, flow)
	// A template has no spaces around its colons.
	meant := strings.ReplaceAll(text, ": {", ":{")
	r.addAt(at, fmt.Sprintf("the text %s has to be quoted", text), "write "+strconv.Quote(meant))
	return true
}

// itemText returns what stands from an offset on to the end of the line, or
// of the item of a { or [.
func (r *yamlReader) itemText(at int, flow bool) string {
	depth, end := 0, at+cut(r.data[at:], "\r\n")
	if comment := bytes.Index(r.data[at:end], []byte(" #")); comment >= 0 {
		end = at + comment
	}
	for i := at; i < end && flow; i++ {
		switch r.data[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth < 0 || depth == 0 && r.data[i] == ',' {
			end = i
		}
	}
	return string(bytes.TrimRight(r.data[at:end], blanks))
}
