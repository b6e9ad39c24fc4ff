package spec

import (
	"fmt"
	"strings"
)

// template is a key template, a fingerprint, or a half of an order as written,
// before its placeholders are looked up in the function's parameters.
type template struct {
	Directive
	use   use
	parts []templatePart // literals and placeholders; no two literals in a row
}

func (b *builder) parseKey(d Directive) {
	before := len(b.errs)
	b.key = parseTemplate(d, &b.errs)
	b.keyOK = len(b.errs) == before
}

// templateParser reads a template from left to right and reports all that is
// wrong with it.
type templateParser struct {
	template
	verbs []verbDef // that may stand in it
	errs  *Errors
	pos   int // of the next byte
}

func parseTemplate(d Directive, errs *Errors) template {
	p := &templateParser{template: template{Directive: d}, verbs: keyVerbs, errs: errs}
	p.word()
	if p.pos < len(p.Args) {
		rest := strings.TrimLeft(p.Args[p.pos:], blanks)
		p.fail(len(p.Args)-len(rest), fmt.Sprintf("%q follows a space, and a key has none", rest),
			"remove it; a comment goes on a line of its own")
	}
	p.separated(p.Args)
	return p.template
}

// word reads a template up to a space, or to the end.
func (p *templateParser) word() {
	for p.pos < len(p.Args) && !blank(p.Args[p.pos]) {
		switch c := p.Args[p.pos]; {
		case c == '{':
			p.placeholder()
		case literalByte(c):
			p.literal()
		default:
			p.stray()
		}
	}
}

func (p *templateParser) fail(offset int, msg, cure string) {
	p.errs.Add(p.at(offset), msg, cure)
}

func literalByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("_.-:", c) >= 0
}

// blanks stand between words. A text in YAML may have several lines.
const blanks = " \t\r\n"

func blank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

func (p *templateParser) literal() {
	start := p.pos
	for p.pos < len(p.Args) && literalByte(p.Args[p.pos]) {
		p.pos++
	}
	p.parts = append(p.parts, templatePart{literal: p.Args[start:p.pos], offset: start})
}

// stray reports what can stand nowhere, a run of upper case or of other
// bytes at once.
func (p *templateParser) stray() {
	start := p.pos
	if p.Args[start] == '}' {
		p.unopened()
		return
	}
	upper := upperByte(p.Args[start])
	for p.pos < len(p.Args) && upperByte(p.Args[p.pos]) == upper && !p.elsewhere() {
		p.pos++
	}
	what := p.Args[start:p.pos]
	if upper {
		p.fail(start, fmt.Sprintf("%q is in upper case", what), fmt.Sprintf("write the %s's literal text in lower case", p.use.noun()))
		return
	}
	p.fail(start, fmt.Sprintf("%q cannot stand in the literal text of %s", what, p.use.some()), `use a-z, 0-9, "_", ".", "-" and ":"`)
}

// elsewhere reports whether the next byte is for another part of the parser.
func (p *templateParser) elsewhere() bool {
	c := p.Args[p.pos]
	return literalByte(c) || c == '{' || c == '}' || blank(c)
}

func upperByte(c byte) bool { return 'A' <= c && c <= 'Z' }

// separated checks what keeps distinct values from giving one key: in a
// value a colon is escaped, so only a literal colon is a border. Text is the
// template's.
func (p *templateParser) separated(text string) {
	var last *templatePart
	border := false
	for i, part := range p.parts {
		if part.path == nil {
			border = border || strings.Contains(part.literal, ":")
			continue
		}
		if last != nil && !border {
			p.fail(part.offset, fmt.Sprintf("no colon separates %s from %s: different values would give one %s", last.written(), part.written(), p.use.noun()),
				`put ":" between them`)
		}
		last, border = &p.parts[i], false
	}
	if last == nil && !strings.Contains(text, "{") {
		p.fail(0, fmt.Sprintf("the %s %s has no placeholder: all events would be %s", p.use.noun(), text, p.use.together()),
			"add one, such as {event.ID}")
	}
}
