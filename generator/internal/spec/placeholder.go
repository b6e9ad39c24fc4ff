package spec

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// templatePart is a piece of a template: a literal, or a placeholder
// {path?|verb|verb}.
type templatePart struct {
	literal  string   // empty for a placeholder
	path     []string // nil for a literal
	optional bool
	called   string // the path with the parentheses behind a name, which have no place there
	verbs    []writtenVerb
	unsound  bool // one of its verbs was refused, so that nothing can be said of what it ends at
	offset   int  // of the part's first byte
}

// writtenVerb is a verb where it stands.
type writtenVerb struct {
	verbDef
	offset int
}

// name is the path of a placeholder: event.ID.
func (p templatePart) name() string { return strings.Join(p.path, ".") }

// written is the placeholder as it stands in the template.
func (p templatePart) written() string {
	return write(p.name(), p.optional, p.verbNames()...)
}

func (p templatePart) verbNames() []string {
	var names []string
	for _, v := range p.verbs {
		names = append(names, v.name)
	}
	return names
}

// write is how a placeholder is written.
func write(path string, optional bool, verbs ...string) string {
	if optional {
		path += "?"
	}
	return "{" + strings.Join(append([]string{path}, verbs...), "|") + "}"
}

// placeholder reads {path}, {path?} and {path|verb}.
func (p *templateParser) placeholder() {
	start := p.pos
	body, ok := p.braces()
	if !ok {
		return
	}
	head, verbs, hasVerbs := strings.Cut(body, "|")
	part := templatePart{offset: start}
	path, optional := strings.CutSuffix(head, "?")
	if strings.Contains(path, "()") {
		part.called, path = path, strings.ReplaceAll(path, "()", "")
	}
	if msg, cure := checkPath(path); msg != "" {
		p.fail(start, msg, cure)
		return
	}
	part.path, part.optional = strings.Split(path, "."), optional
	if hasVerbs && p.use == inVersion {
		p.verbOfVersion(&part, start+len("{")+len(head)+len("|"))
	} else if hasVerbs {
		p.readVerbs(&part, verbs, start+len("{")+len(head)+len("|"))
	}
	p.parts = append(p.parts, part)
}

// braces reads what stands between { and the next }.
func (p *templateParser) braces() (body string, ok bool) {
	start := p.pos
	length := strings.IndexAny(p.Args[start+1:], "{}")
	if length >= 0 && p.Args[start+1+length] == '}' {
		p.pos = start + length + len("{}")
		return p.Args[start+1 : start+1+length], true
	}
	p.fail(start, `"{" is not closed`, `close the placeholder with "}"`)
	p.pos = len(p.Args)
	if length >= 0 {
		p.pos = start + 1 + length
	}
	return "", false
}

func (p *templateParser) unopened() {
	p.fail(p.pos, `"}" closes nothing`, `open the placeholder with "{"`)
	p.pos++
}

// checkPath checks the form of a path: names with dots between them.
func checkPath(path string) (msg, cure string) {
	switch {
	case path == "":
		return "the placeholder is empty", "name a parameter, or a field or method of one, such as {event.ID}"
	case strings.Contains(path, "("):
		return fmt.Sprintf("{%s} has parentheses", path), "name a field, or a method that takes nothing, without them: {event.ID}"
	}
	for name := range strings.SplitSeq(path, ".") {
		if !token.IsIdentifier(name) {
			return fmt.Sprintf("%q in {%s} is not a name", name, path),
				"write a parameter, then fields and methods, with a dot before each: {event.ID}"
		}
	}
	return "", ""
}

// readVerbs reads verb|verb, and keeps those that can stand there.
func (p *templateParser) readVerbs(part *templatePart, text string, offset int) {
	before := len(*p.errs)
	for name := range strings.SplitSeq(text, "|") {
		if i := slices.IndexFunc(p.verbs, func(v verbDef) bool { return v.name == name }); i >= 0 {
			part.verbs = append(part.verbs, writtenVerb{p.verbs[i], offset})
		} else {
			msg, cure := p.unknownVerb(*part, name, text)
			p.fail(offset, msg, cure)
		}
		offset += len(name) + len("|")
	}
	p.checkOrder(*part)
	part.unsound = len(*p.errs) > before
}

// unknownVerb says what a word is that is no verb there.
func (p *templateParser) unknownVerb(part templatePart, name, all string) (msg, cure string) {
	var names []string
	for _, v := range p.verbs {
		names = append(names, v.name)
	}
	unmarked, marked := strings.CutSuffix(name, "?")
	switch elsewhere, known := lookupVerb(name); {
	case name == "":
		return `no verb follows "|"`, `remove the "|", or write a verb: ` + strings.Join(names, ", ")
	case known:
		return elsewhere.refusal.reason, elsewhere.refusal.cure
	case marked && slices.Contains(names, unmarked):
		return fmt.Sprintf(`"?" stands behind the verb %s`, unmarked),
			"write it after the path: " + write(part.name(), true, inOrder(strings.Split(strings.ReplaceAll(all, "?", ""), "|"), p.verbs)...)
	case strings.TrimSpace(name) != name && slices.Contains(names, strings.TrimSpace(name)):
		return fmt.Sprintf("there is a space beside the verb %s", strings.TrimSpace(name)), "remove it"
	}
	msg = fmt.Sprintf("unknown verb %q", name)
	if near := Suggest(name, names); near != "" {
		return msg, fmt.Sprintf("did you mean %s?", near)
	}
	return msg, "the verbs are " + strings.Join(names, ", ")
}

// inOrder returns the verbs among some names as they would be taken: each
// once, hash last, and beside one that writes the whole value no other.
func inOrder(names []string, verbs []verbDef) []string {
	var change, whole, hash []string
	for _, name := range names {
		i := slices.IndexFunc(verbs, func(v verbDef) bool { return v.name == name })
		switch {
		case i < 0 || slices.Contains(change, name):
		case verbs[i].verb == VerbHash:
			hash = []string{name}
		case verbs[i].encoder != "" && whole == nil:
			whole = []string{name}
		case verbs[i].encoder == "":
			change = append(change, name)
		}
	}
	if whole != nil {
		change = whole
	}
	return append(change, hash...)
}

// checkOrder checks the verbs of a placeholder against each other.
func (p *templateParser) checkOrder(part templatePart) {
	for i, v := range part.verbs {
		if msg, cure := part.misplaced(i); msg != "" {
			p.fail(v.offset, msg, cure)
		}
	}
}

// misplaced says why a verb cannot stand beside the others of its placeholder.
func (p templatePart) misplaced(i int) (msg, cure string) {
	v, before := p.verbs[i], p.verbs[:i]
	whole, ok := p.whole()
	switch {
	case slices.ContainsFunc(before, func(b writtenVerb) bool { return b.name == v.name }):
		return fmt.Sprintf("%s has the verb %s twice", p.written(), v.name), "write it once"
	case slices.ContainsFunc(before, func(b writtenVerb) bool { return b.verb == VerbHash }):
		return fmt.Sprintf("%s stands behind hash, which leaves nothing to change", v.name),
			"write hash last: " + write(p.name(), p.optional, inOrder(p.verbNames(), verbTable)...)
	case !ok || whole.offset == v.offset || v.verb == VerbHash:
		return "", ""
	case v.encoder != "":
		return fmt.Sprintf("%s and %s are two ways to write one value", whole.name, v.name), "keep one of the two"
	}
	return fmt.Sprintf("%s changes nothing in what %s writes", v.name, whole.name), "remove it"
}

// whole returns the verb that says how the whole value is written, if there
// is one.
func (p templatePart) whole() (writtenVerb, bool) {
	i := slices.IndexFunc(p.verbs, func(v writtenVerb) bool { return v.encoder != "" })
	if i < 0 {
		return writtenVerb{}, false
	}
	return p.verbs[i], true
}
