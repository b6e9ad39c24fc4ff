package spec

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

var (
	// nearMiss is a comment's line that begins as a directive might: white
	// space, the tool's name or that of the command, a colon that may stand in
	// white space, a word, an argument.
	nearMiss = regexp.MustCompile(`^(\s*)(?i:idem|idemgen)(\s*:\s*)([A-Za-z]+)(?:\s+(.*))?$`)
	// bare is one that ends behind the colon.
	bare = regexp.MustCompile(`^(?i:idem|idemgen)\s*:$`)
	// unseparated is one with something else, or nothing, for the colon.
	unseparated = regexp.MustCompile(`^(?i:idemgen|idem)[ \t._/-]*([A-Za-z]+)\s+(.*)$`)
	// prose is how a sentence goes on: its first word, and another.
	prose = regexp.MustCompile(`^\pL[\pL'’-]*[.,;:]?\s+\S`)
	// dotted is a path of more than one name.
	dotted = regexp.MustCompile(`^\S+\.\pL`)
)

// Mentions reports whether there may be a directive or a near miss in a text.
// It lets pass what [NearMiss] knows, and nearly nothing else.
func Mentions(text []byte) bool {
	if commented.Match(text) {
		return true
	}
	for {
		before, after, ok := bytes.Cut(text, colon)
		if !ok {
			return false
		}
		before = bytes.TrimRight(before, " \t\r\n\f\v")
		if endsInFold(before, "idem") || endsInFold(before, "idemgen") {
			return true
		}
		text = after
	}
}

var (
	colon     = []byte(":")
	commented = regexp.MustCompile(`//(?i:idem)`)
)

func endsInFold(text []byte, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(string(text[len(text)-len(word):]), word)
}

// NearMiss recognises a comment that somebody meant as a directive, though
// Go does not take it for one, and says what to write. What might be prose
// counts only if it would make a whole directive, argument and all, or if its
// argument does not begin as a sentence goes on.
func NearMiss(comment string) (cure string, ok bool) {
	text, line := strings.CutPrefix(comment, "//")
	if line {
		return nearMissLine(text, false)
	}
	text = strings.TrimSuffix(strings.TrimPrefix(comment, "/*"), "*/")
	for text := range strings.Lines(text) {
		if cure, ok := nearMissLine(strings.TrimLeft(text, " \t*"), true); ok {
			return cure, true
		}
	}
	return "", false
}

func nearMissLine(text string, block bool) (cure string, ok bool) {
	text = strings.TrimRight(text, " \t\r\n")
	if !block && bare.MatchString(text) {
		return fmt.Sprintf("write //idem:%s %s, or remove the comment", directiveTable[0].Name, directiveTable[0].Example), true
	}
	m := nearMiss.FindStringSubmatch(text)
	if m == nil && !block {
		return nearMissColon(text)
	}
	if m == nil {
		return "", false
	}
	space, separator, word, args := m[1], m[2], m[3], strings.TrimSpace(m[4])
	if !block && strings.HasPrefix(text, "idem:"+strings.ToLower(word[:1])) {
		return "", false // a directive, if an unknown one
	}
	name := strings.ToLower(word)
	def, known := lookupDirective(name)
	if !known {
		def, ok = lookupDirective(Suggest(name, directiveNames()))
		if !ok {
			return "", false
		}
	}
	loose := space != "" && separator != ":" || (block || space != "") && prose.MatchString(args)
	if (loose || !known) && !def.accepts(args) {
		return "", false
	}
	return strings.TrimSpace("write //idem:" + def.Name + " " + args), true
}

// nearMissColon recognises a line without the colon, if it would be a whole
// directive with it.
func nearMissColon(text string) (cure string, ok bool) {
	m := unseparated.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	def, known := lookupDirective(m[1])
	if !known || !def.accepts(m[2]) {
		return "", false
	}
	return "write //idem:" + def.Name + " " + m[2], true
}

// accepts reports whether the text could be the directive's argument.
func (def directiveDef) accepts(args string) bool {
	if args == "" || def.prose && !dotted.MatchString(args) {
		return false
	}
	b := newBuilder(Source{})
	def.parse(b, Directive{Name: def.Name, Args: args})
	return len(b.errs) == 0
}
