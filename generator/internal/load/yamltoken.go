package load

import (
	"bytes"
	"strings"
)

// yamlToken is a piece of what a YAML file shows on its surface. Its kind is
// one of { } [ ] , : - or " for a quoted text and a for a plain one.
type yamlToken struct {
	kind       byte
	start, end int
	open       bool // a quoted text that does not end
}

// yamlScanner finds the tokens of a part of a text that does not parse, well
// enough to say what is wrong with it.
type yamlScanner struct {
	data   []byte
	at     int
	depth  int // of { and [
	tokens []yamlToken
}

// tokens returns what stands between two offsets.
func (t *yamlText) tokens(from, to int) []yamlToken {
	s := &yamlScanner{data: t.data[:to], at: from}
	for s.at < to {
		s.next()
	}
	return s.tokens
}

func (s *yamlScanner) next() {
	switch c := s.data[s.at]; {
	case isBlank(c):
		s.at++
	case c == '#':
		s.at += cut(s.data[s.at:], "\r\n")
	case c == '&' || c == '!':
		s.at += cut(s.data[s.at:], blanks)
	case c == '"' || c == '\'':
		s.quoted(c)
	case c == '{' || c == '[':
		s.depth++
		s.sign()
	case c == '}' || c == ']':
		s.depth = max(0, s.depth-1)
		s.sign()
	case c == ',' && s.depth > 0, c == ':' && (s.blankAt(s.at+1) || s.depth > 0), (c == '-' || c == '?') && s.blankAt(s.at+1):
		s.sign()
	default:
		s.plain()
	}
}

func (s *yamlScanner) sign() {
	s.tokens = append(s.tokens, yamlToken{kind: s.data[s.at], start: s.at, end: s.at + 1})
	s.at++
}

// quoted reads a text up to its closing quote. Of two apostrophes in one, and
// of a backslash and a quote in the other kind, none closes.
func (s *yamlScanner) quoted(quote byte) {
	start := s.at
	for s.at++; s.at < len(s.data); s.at++ {
		c := s.data[s.at]
		doubled := quote == '\'' && bytes.HasPrefix(s.data[s.at:], []byte("''"))
		switch {
		case doubled, quote == '"' && c == '\\':
			s.at++
		case c == quote:
			s.at++
			s.tokens = append(s.tokens, yamlToken{kind: '"', start: start, end: s.at})
			return
		}
	}
	s.at = len(s.data)
	s.tokens = append(s.tokens, yamlToken{kind: '"', start: start, end: s.at, open: true})
}

// plain reads a text without quotes, up to the end of its line at most.
func (s *yamlScanner) plain() {
	start := s.at
	for s.at++; s.at < len(s.data) && !s.endsPlain(); s.at++ {
	}
	end := start + len(bytes.TrimRight(s.data[start:s.at], blanks))
	s.tokens = append(s.tokens, yamlToken{kind: 'a', start: start, end: end})
}

func (s *yamlScanner) endsPlain() bool {
	switch c := s.data[s.at]; c {
	case '\r', '\n':
		return true
	case '#':
		return isBlank(s.data[s.at-1])
	case ':':
		return s.blankAt(s.at+1) || s.depth > 0 && strings.IndexByte(",[]{}", s.data[s.at+1]) >= 0
	case ',', '[', ']', '{', '}':
		return s.depth > 0
	}
	return false
}

// blankAt reports whether there is white space at an offset, or the end.
func (s *yamlScanner) blankAt(at int) bool { return at >= len(s.data) || isBlank(s.data[at]) }

func isBlank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

// flowText returns the { } or [ ] that begins at an offset, as it is written,
// or what there is of it in its line.
func (t *yamlText) flowText(at int) string {
	depth := 0
	end := at + cut(t.data[at:], "\r\n")
	for _, token := range t.tokens(at, end) {
		switch token.kind {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return string(t.data[at:token.end])
			}
		}
	}
	return string(bytes.TrimRight(t.data[at:end], blanks))
}
