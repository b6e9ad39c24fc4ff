package spec

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

var (
	// nearMiss is a line of a doc comment that begins as a directive might: signs,
	// the tool, signs, the directive, and its argument, which one of
	// directiveSigns may stand before. A colon before what is no space makes a
	// key of a store of it.
	nearMiss = regexp.MustCompile(`^([^\pL\pM\pN]*)([\pL\pM\pN]+)([^\pL\pM\pN]*)(\pL*)(?:([=(,])(.*)|(:?)(?:\s+(.*))?)$`)
	// isDirective is what Go takes for one of ours, if an unknown one.
	isDirective = regexp.MustCompile(`^idem:[a-z0-9]`)
	// led is one with a word before the tool, as //go:idem:key.
	led = regexp.MustCompile(`^\pL+:(\pL.*)$`)
	// joined is one without a colon: the letters of both names in one word.
	joined = regexp.MustCompile(`^([^\pL\pM\pN]*)(\pL+)(?:[=(,]\s*|:?\s+)(.*)$`)
	// behind is one behind another tool's, in one line with it.
	behind = regexp.MustCompile(`^[a-z0-9]+:[a-z0-9].*\s//\s*idem:([a-z]+)\s+(.*)$`)
	// quotes are in front of an example, or of a directive that was turned off.
	quotes = regexp.MustCompile("[\"'`<>\\p{Ps}\\p{Pi}\\p{Pf}]|//$")
	// dotted is a path of more than one name.
	dotted = regexp.MustCompile(`^\S+\.\pL`)
	// templated is a word with a placeholder in it, or with what was to be one.
	templated = regexp.MustCompile(`^\S*\{\S*$`)
	// unlikeProse is in most arguments, and in few sentences.
	unlikeProse = regexp.MustCompile(`[\pN{_]|\S\.\pL`)
)

// nearLine is a line of a comment that may be meant as a directive.
type nearLine struct {
	lead      string // what stands before the tool
	tool      toolName
	separator string
	word      string // which may be a directive
	sign      string // between the word and the argument
	args      string
}

// Near is a line of a doc comment that was meant as a directive.
type Near struct {
	Comment   int    // which of them it is in
	Line, Col int    // of its first byte from that of the comment on, both from 0
	Text      string // as written
	Cure      string
}

// NearMisses recognises the lines of a doc comment that somebody meant as
// directives, though Go does not take them for any, and says what to write. OnType
// says that it is of a type, and not of a function. What may be prose, an example, a
// directive that was turned off, or the key of some store, is none: a line counts
// if it stands for itself and would make a whole directive, argument and all.
func NearMisses(doc []string, onType bool) (found []Near) {
	for _, line := range docLines(doc) {
		def, cure := nearMissLine(line.text)
		if cure != "" && def.onType == onType {
			line.Cure = cure
			found = append(found, line.Near)
		}
	}
	return found
}

// nearMissLine returns the directive that a line is meant as, and the cure, or
// "".
func nearMissLine(text string) (def directiveDef, cure string) {
	if isDirective.MatchString(text) {
		return def, ""
	}
	if m := behind.FindStringSubmatch(text); m != nil {
		if def, _ := lookupDirective(m[1]); def.Name != "" && def.accepts(m[2]) {
			return def, instead(def, m[2]) + " in a line of its own"
		}
	}
	line, ok := splitLine(text)
	if !ok || quotes.MatchString(line.lead) {
		return def, ""
	}
	if line.word == "" {
		if line.tool != theTool || line.lead != "" || !line.colon() {
			return def, ""
		}
		return directiveTable[0], instead(directiveTable[0], "")
	}
	name := strings.ToLower(line.word)
	def, known := lookupDirective(name)
	if !known && line.tool == theTool {
		def, _ = lookupDirective(Suggest(name, directiveNames()))
	}
	if def.Name == "" || !line.means(def, known) {
		return def, ""
	}
	return def, instead(def, line.args)
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
		line := nearLine{lead: m[1], tool: toolOf(m[2]), separator: m[3], word: m[4], sign: m[5] + m[7], args: strings.TrimSpace(m[6] + m[8])}
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
	case l.tool == nearTool && !tight:
		return false
	case l.tool == nearTool || l.lead != "" && !tight:
		return unlikeProse.MatchString(l.args) && l.whole(def)
	case l.args == "":
		return known && tight && l.sign == "" && (l.lead == " " || !strings.ContainsAny(l.lead, blanks))
	case l.lead == "" && known && tight && l.sign == "":
		return true // no sentence begins so
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
