package spec

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

const fingerprintSyntax = "{PATH} {PATH|verb}"

func (b *builder) parseFingerprint(d Directive) {
	before := len(b.errs)
	b.fingerprint = parsePlaceholders(d, &b.errs)
	b.fingerprintOK = len(b.errs) == before && !d.Unread
}

// parsePlaceholders reads placeholders with spaces between them.
func parsePlaceholders(d Directive, errs *Errors) template {
	p := &templateParser{template: template{Directive: d, use: inFingerprint}, verbs: fingerprintVerbs, errs: errs}
	for p.pos < len(p.Args) {
		switch c := p.Args[p.pos]; {
		case blank(c):
			p.pos++
		case c == '{':
			p.spaced()
			p.placeholder()
		case c == '}':
			p.unopened()
		default:
			p.betweenPlaceholders()
		}
	}
	for i, part := range p.parts {
		p.inFingerprint(i, part)
	}
	return p.template
}

// spaced checks that a placeholder does not follow another closely.
func (p *templateParser) spaced() {
	if p.pos > 0 && p.Args[p.pos-1] == '}' {
		p.fail(p.pos, "no space separates the placeholders", "write one between them")
	}
}

// betweenPlaceholders reports text that is no placeholder, up to the next.
func (p *templateParser) betweenPlaceholders() {
	start := p.pos
	p.pos = len(p.Args)
	if length := strings.IndexAny(p.Args[start:], "{}"); length >= 0 {
		p.pos = start + length
	}
	text := strings.TrimRight(p.Args[start:p.pos], blanks)
	cure := "write placeholders only, such as {order.Cents}; a comment goes on a line of its own"
	if strings.Trim(text, ",;") == "" {
		cure = "separate the placeholders by spaces"
	} else if msg, _ := checkPath(text); msg == "" && strings.Contains(text, ".") {
		cure = fmt.Sprintf("write {%s}", text)
	}
	p.fail(start, fmt.Sprintf("%q cannot stand in a fingerprint", text), cure)
}

// inFingerprint checks what makes a placeholder of a fingerprint other than
// one of a key.
func (p *templateParser) inFingerprint(i int, part templatePart) {
	if part.optional {
		p.fail(part.offset, fmt.Sprintf("%s has a \"?\", and in a fingerprint what is not there is compared as such", part.written()),
			"write "+write(part.name(), false, part.verbNames()...))
	}
	same := func(other templatePart) bool { return other.name() == part.name() }
	if slices.ContainsFunc(p.parts[:i], same) {
		p.fail(part.offset, fmt.Sprintf("%s is in the fingerprint twice", part.name()), "keep one of the two")
	}
}

// resolveFingerprint looks the placeholders up in the parameters.
func (b *builder) resolveFingerprint() {
	if b.generic {
		return
	}
	for _, part := range b.fingerprint.parts {
		if !part.unsound && b.inKey(part) {
			b.errs.Add(b.fingerprint.at(part.offset), fmt.Sprintf("%s is in the key as it is, so that it is the same for all deliveries of one piece of work", part.written()),
				"remove it: it adds nothing")
			continue
		}
		if resolved, ok := b.resolve(b.fingerprint, part); ok {
			b.h.Fingerprint = append(b.h.Fingerprint, resolved)
		}
	}
}

// inKey reports whether equal keys say all that the placeholder could: the
// key has the whole value, or its hash.
func (b *builder) inKey(part templatePart) bool {
	return slices.ContainsFunc(b.key.parts, func(k templatePart) bool {
		return k.path != nil && k.name() == part.name() &&
			!slices.ContainsFunc(k.verbs, func(v writtenVerb) bool { return v.verb != VerbHash })
	})
}

// compared chooses what a placeholder of a fingerprint is compared by: text,
// where a verb says so, otherwise JSON.
func (w *walker) compared(key *KeyPart) bool {
	if len(w.part.verbs) > 0 || w.part.unsound {
		return w.leaf(key)
	}
	if hasInvalid(w.typ) {
		return w.failInvalid()
	}
	key.Encoder = EncodeValue
	if fault := w.b.unwritable(w.typ, w.part.name()); fault != "" {
		return w.fail(fmt.Sprintf("%s cannot be compared as JSON: %s", w.part.written(), fault),
			"name what JSON can hold of it, or leave the field out with the tag `json:\"-\"`")
	}
	return w.fitWithin()
}

// takesJSON checks what the verb json is written behind: text, or bytes.
func (w *walker) takesJSON(t types.Type, verb writtenVerb) bool {
	if enc := basicEncoder(t); enc == EncodeString || bytesEncoder(t) == EncodeBytes {
		return true
	}
	return w.failVerb(verb, fmt.Sprintf("json takes text or bytes that are JSON already, and %s is of type %s", w.part.name(), w.typeName()),
		"write "+w.withoutVerbs(EncodeValue, verb.same)+", which is compared as JSON anyway")
}
