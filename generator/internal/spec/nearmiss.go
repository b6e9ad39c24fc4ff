package spec

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

var (
	// nearMiss is a comment's line that begins as a directive might: signs, the
	// tool, signs, the directive, and its argument, which one of
	// directiveSigns may stand before.
	nearMiss = regexp.MustCompile(`^([^\pL\pM\pN]*)([\pL\pM\pN]+)([^\pL\pM\pN]*)(\pL*)(?:([=:(,])(.*)|\s+(.*))?$`)
	// isDirective is what Go takes for one of ours, if an unknown one.
	isDirective = regexp.MustCompile(`^idem:[a-z0-9]`)
	// led is one with a word before the tool, as //go:idem:key.
	led = regexp.MustCompile(`^[^\pL\pM\pN]*\pL+:(\pL.*)$`)
	// joined is one without a colon: the letters of both names in one word.
	joined = regexp.MustCompile(`^([^\pL\pM\pN]*)(\pL+)(?:[=:(,]\s*|\s+)(.*)$`)
	// prose is how a sentence goes on: its first word, and another.
	prose = regexp.MustCompile(`^\pL[\pL'’-]*[.,;:]?\s+\S`)
	// dotted is a path of more than one name.
	dotted = regexp.MustCompile(`^\S+\.\pL`)
	// templated is a word with a placeholder in it, or with what was to be one.
	templated = regexp.MustCompile(`^\S*\{\S*$`)
	// unlikeProse is in most arguments, and in few sentences.
	unlikeProse = regexp.MustCompile(`[\pN{_]|\S\.\pL`)
)

// nearLine is a line of a comment that may be meant as a directive.
type nearLine struct {
	block     bool
	lead      string // what stands before the tool
	tool      toolName
	separator string
	word      string // which may be a directive
	sign      string // between the word and the argument
	args      string
}

// Near is a line of a comment that was meant as a directive.
type Near struct {
	Line, Col int    // of its first byte from that of the comment on, both from 0
	Text      string // as written
	Cure      string
}

// NearMiss recognises a comment that somebody meant as a directive, though
// Go does not take it for one, and says what to write. What might be prose
// counts only if it would make a whole directive, argument and all, or if its
// argument does not begin as a sentence goes on.
func NearMiss(comment string) (near Near, ok bool) {
	if text, ok := strings.CutPrefix(comment, "//"); ok {
		cure, ok := nearMissLine(text, false)
		return Near{Text: strings.TrimRight(comment, blanks), Cure: cure}, ok
	}
	for i, line := range strings.Split(comment, "\n") {
		text := strings.TrimSuffix(strings.TrimRight(line, blanks), "*/")
		if i == 0 {
			text = strings.TrimPrefix(text, "/*")
		}
		cure, ok := nearMissLine(strings.Trim(text, blanks+"*"), true)
		if ok {
			return Near{Line: i, Col: len(line) - len(strings.TrimLeft(line, " \t")), Text: strings.Trim(line, blanks), Cure: cure}, true
		}
	}
	return Near{}, false
}

func nearMissLine(text string, block bool) (cure string, ok bool) {
	line, ok := splitLine(strings.TrimRight(text, blanks))
	line.block = block
	if !ok || !block && isDirective.MatchString(text) {
		return "", false
	}
	if line.word == "" {
		if line.tool != theTool || !line.begins() || !line.colon() {
			return "", false
		}
		return instead(directiveTable[0], ""), true
	}
	name := strings.ToLower(line.word)
	def, known := lookupDirective(name)
	if !known && line.tool == theTool {
		def, _ = lookupDirective(Suggest(name, directiveNames()))
	}
	if def.Name == "" || !line.means(def, known) {
		return "", false
	}
	return instead(def, line.args), true
}

// instead is the cure: the directive that was meant.
func instead(def directiveDef, args string) string {
	if args == "" {
		return fmt.Sprintf("write //idem:%s %s, or remove the comment", def.Name, def.Example)
	}
	return "write //idem:" + def.Name + " " + args
}

// splitLine finds the parts of a line that has the tool's name, or one near
// it, for its first word, or behind one with a colon.
func splitLine(text string) (nearLine, bool) {
	if m := joined.FindStringSubmatch(text); m != nil && joinedWord(m[2]) != "" {
		return nearLine{lead: m[1], tool: theTool, word: joinedWord(m[2]), args: strings.TrimSpace(m[3])}, true
	}
	if m := nearMiss.FindStringSubmatch(text); m != nil && toolOf(m[2]) != noTool {
		line := nearLine{lead: m[1], tool: toolOf(m[2]), separator: m[3], word: m[4], sign: m[5], args: strings.TrimSpace(m[6] + m[7])}
		if line.sign == "(" {
			line.args = strings.TrimSuffix(line.args, ")")
		}
		return line, true
	}
	m := led.FindStringSubmatch(text)
	if m == nil {
		return nearLine{}, false
	}
	line, ok := splitLine(m[1])
	line.lead = strings.TrimSuffix(text, m[1])
	return line, ok
}

// joinedWord returns the directive that stands behind the tool's name in one
// word with it, or nothing.
func joinedWord(word string) string {
	for _, tool := range []string{toolWord, commandWord} {
		if len(word) <= len(tool) || !strings.EqualFold(word[:len(tool)], tool) {
			continue
		}
		if def, ok := lookupDirective(strings.ToLower(word[len(tool):])); ok {
			return def.Name
		}
	}
	return ""
}

// begins reports whether nothing stands before the tool, as no sentence has
// it.
func (l nearLine) begins() bool { return l.lead == "" && !l.block }

// colon reports whether the separator is one, is taken for one, or is
// several.
func (l nearLine) colon() bool {
	signs := strings.Join(strings.FieldsFunc(l.separator, unicode.IsSpace), "")
	return signs != "" && !strings.ContainsFunc(signs, func(r rune) bool { return !isColon(r) })
}

// isColon reports whether somebody may have written a rune for a colon: one of
// another script, say, but no dash, which has its place in sentences.
func isColon(r rune) bool {
	return r == ':' || r == ';' || r > unicode.MaxASCII && !unicode.Is(unicode.Pd, r)
}

func (l nearLine) spaced() bool { return strings.ContainsFunc(l.separator, unicode.IsSpace) }

// means reports whether a line is meant as the directive. Known says that the
// directive's name is written as it should be.
func (l nearLine) means(def directiveDef, known bool) bool {
	tight := l.colon() && !l.spaced()
	switch {
	case l.block && !strings.HasPrefix(strings.TrimLeft(l.separator, blanks), ":"), l.tool == nearTool && !tight:
		return false
	case l.tool == nearTool || !l.begins() && !tight:
		return unlikeProse.MatchString(l.args) && l.whole(def)
	case known && l.colon() && l.sign == "" && (l.begins() || !prose.MatchString(l.args)):
		return true
	}
	return l.whole(def)
}

// whole reports whether a line would make a whole directive, if perhaps with a
// mistake in its template.
func (l nearLine) whole(def directiveDef) bool {
	if l.sign != "" && !l.colon() {
		return false // a call, or an assignment
	}
	return def.accepts(l.args) || l.colon() && templated.MatchString(l.args)
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
