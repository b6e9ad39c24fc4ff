package spec

import (
	"regexp"
	"strings"
)

// nearMiss is a comment's line that begins as a directive might: white space,
// the tool's name or that of the command, a colon that may stand in white
// space, a word, an argument.
var nearMiss = regexp.MustCompile(`^(\s*)(?i:idem|idemgen)(\s*:\s*)([A-Za-z]+)(?:\s+(.*))?$`)

// NearMiss recognises a comment that somebody meant as a directive, though
// Go does not take it for one, and says what to write. What might be prose
// counts only if it would make a whole directive, argument and all.
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
	m := nearMiss.FindStringSubmatch(strings.TrimRight(text, " \t\r\n"))
	if m == nil {
		return "", false
	}
	space, colon, word, args := m[1], m[2], m[3], strings.TrimSpace(m[4])
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
	loose := space != "" && colon != ":"
	if (loose || !known) && !def.accepts(args) {
		return "", false
	}
	return strings.TrimSpace("write //idem:" + def.Name + " " + args), true
}

// accepts reports whether the text could be the directive's argument.
func (def DirectiveDef) accepts(args string) bool {
	if args == "" {
		return false
	}
	b := newBuilder(Source{})
	def.parse(b, Directive{Name: def.Name, Args: args})
	return len(b.errs) == 0
}
