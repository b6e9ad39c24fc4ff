package spec

import (
	"fmt"
	"go/token"
	"strings"
)

// template is a key template as written, before its placeholders are looked
// up in the function's parameters.
type template struct {
	pos   Pos
	text  string
	parts []templatePart // literals and placeholders; no two literals in a row
}

type templatePart struct {
	literal  string   // empty for a placeholder
	path     []string // nil for a literal
	optional bool
	offset   int // of the part's first byte
}

// written is the placeholder as it stands in the template.
func (p templatePart) written() string {
	if p.optional {
		return "{" + strings.Join(p.path, ".") + "?}"
	}
	return "{" + strings.Join(p.path, ".") + "}"
}

func (b *builder) parseKey(d Directive) {
	before := len(b.errs)
	b.key = parseTemplate(d.Args, d.ArgsPos, &b.errs)
	b.keyOK = len(b.errs) == before
}

// templateParser reads a template from left to right and reports all that is
// wrong with it.
type templateParser struct {
	template
	errs *Errors
	at   int
}

func parseTemplate(text string, pos Pos, errs *Errors) template {
	p := &templateParser{template: template{text: text, pos: pos}, errs: errs}
	for p.at < len(text) {
		switch c := text[p.at]; {
		case c == '{':
			p.placeholder()
		case literalByte(c):
			p.literal()
		case c == ' ' || c == '\t':
			rest := strings.TrimLeft(text[p.at:], " \t")
			p.fail(len(text)-len(rest), fmt.Sprintf("%q follows a space, and a key has none", rest),
				"remove it; a comment goes on a line of its own")
			p.at = len(text)
		default:
			p.stray()
		}
	}
	p.separated()
	return p.template
}

func (p *templateParser) fail(offset int, msg, cure string) {
	p.errs.Add(p.pos.shift(offset), msg, cure)
}

func literalByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("_.-:", c) >= 0
}

func (p *templateParser) literal() {
	start := p.at
	for p.at < len(p.text) && literalByte(p.text[p.at]) {
		p.at++
	}
	p.parts = append(p.parts, templatePart{literal: p.text[start:p.at], offset: start})
}

// stray reports what can stand nowhere, a run of upper case or of other
// bytes at once.
func (p *templateParser) stray() {
	start := p.at
	if p.text[start] == '}' {
		p.fail(start, `"}" closes nothing`, `open the placeholder with "{"`)
		p.at++
		return
	}
	upper := upperByte(p.text[start])
	for p.at < len(p.text) && upperByte(p.text[p.at]) == upper && !p.elsewhere() {
		p.at++
	}
	what := p.text[start:p.at]
	if upper {
		p.fail(start, fmt.Sprintf("%q is in upper case", what), "write the key's literal text in lower case")
		return
	}
	p.fail(start, fmt.Sprintf("%q cannot stand in the literal text of a key", what), `use a-z, 0-9, "_", ".", "-" and ":"`)
}

// elsewhere reports whether the next byte is for another part of the parser.
func (p *templateParser) elsewhere() bool {
	c := p.text[p.at]
	return literalByte(c) || strings.IndexByte("{} \t", c) >= 0
}

func upperByte(c byte) bool { return 'A' <= c && c <= 'Z' }

// placeholder reads {path} and {path?}, and refuses {path|verb}.
func (p *templateParser) placeholder() {
	start := p.at
	length := strings.IndexAny(p.text[start+1:], "{}")
	if length < 0 || p.text[start+1+length] == '{' {
		p.fail(start, `"{" is not closed`, `close the placeholder with "}"`)
		p.at = len(p.text)
		if length >= 0 {
			p.at = start + 1 + length
		}
		return
	}
	body := p.text[start+1 : start+1+length]
	p.at = start + len(body) + 2
	body, verb, hasVerb := strings.Cut(body, "|")
	if hasVerb {
		p.fail(start+len(body)+2, fmt.Sprintf("unknown verb %q", verb), "this version has no verbs: name a field or a method that is fit for a key as it is")
	}
	path, optional := strings.CutSuffix(body, "?")
	if msg, cure := checkPath(path); msg != "" {
		p.fail(start, msg, cure)
		return
	}
	p.parts = append(p.parts, templatePart{path: strings.Split(path, "."), optional: optional, offset: start})
}

// checkPath checks the form of a path: names with dots between them.
func checkPath(path string) (msg, cure string) {
	switch {
	case path == "":
		return "the placeholder is empty", "name a parameter, or a field or method of one, such as {event.ID}"
	case strings.Contains(path, "("):
		return fmt.Sprintf("{%s} has parentheses", path), "name a method without them: " + "{" + strings.ReplaceAll(path, "()", "") + "}"
	}
	for name := range strings.SplitSeq(path, ".") {
		if !token.IsIdentifier(name) {
			return fmt.Sprintf("%q in {%s} is not a name", name, path),
				"write a parameter, then fields and methods, with a dot before each: {event.ID}"
		}
	}
	return "", ""
}

// separated checks what keeps distinct values from giving one key: in a
// value a colon is escaped, so only a literal colon is a border.
func (p *templateParser) separated() {
	var last *templatePart
	border := false
	for i, part := range p.parts {
		if part.path == nil {
			border = border || strings.Contains(part.literal, ":")
			continue
		}
		if last != nil && !border {
			p.fail(part.offset, fmt.Sprintf("no colon separates %s from %s: different values would give one key", last.written(), part.written()),
				`put ":" between them`)
		}
		last, border = &p.parts[i], false
	}
	if last == nil && !strings.Contains(p.text, "{") {
		p.fail(0, fmt.Sprintf("the key %s has no placeholder: all events would be one piece of work", p.text),
			"add one, such as {event.ID}")
	}
}
