package spec

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"
)

const (
	orderSyntax = "ENTITY at {VERSION}"
	orderWord   = "at" // between the two

	orderExample = "account:{event.AccountID} at {event.Version}"
)

// parseOrder reads an entity's template and the placeholder of its version. A
// handler whose order is wrong is an ordered one all the same.
func (b *builder) parseOrder(d Directive) {
	before := len(b.errs)
	b.h.Order = &Order{Pos: d.ArgsPos}
	p := &templateParser{template: template{Directive: d, use: inEntity}, verbs: keyVerbs, errs: &b.errs}
	text, ok := p.entity()
	b.h.Order.Entity.Text, b.entity = text, p.template
	p.template = template{Directive: d, use: inVersion}
	if ok && p.atWord() {
		p.version()
	}
	b.version = p.template
	b.orderOK = len(b.errs) == before && !d.Unread
}

// entity reads the template of the entity, and returns its text. It is not ok
// if nothing can be said of what follows.
func (p *templateParser) entity() (text string, ok bool) {
	if word := p.next(); word == orderWord {
		p.fail(0, `no entity stands before "at"`, p.orderCure())
		return "", true
	}
	if i := strings.Index(upToBlank(p.Args), "}at{"); i >= 0 {
		p.fail(i+len("}"), `no spaces are around "at"`, "write one before it, and one behind it")
		return "", false
	}
	p.word()
	text = p.Args[:p.pos]
	p.separated(text)
	p.skip()
	return text, true
}

// upToBlank is what stands before the first blank.
func upToBlank(text string) string {
	if end := strings.IndexAny(text, blanks); end >= 0 {
		return text[:end]
	}
	return text
}

func (p *templateParser) skip() {
	p.pos = len(p.Args) - len(strings.TrimLeft(p.Args[p.pos:], blanks))
}

// next returns what stands up to a space, or to a placeholder behind it.
func (p *templateParser) next() string {
	rest := p.Args[p.pos:]
	if end := strings.IndexAny(rest, blanks+"{"); end > 0 {
		return rest[:end]
	} else if end < 0 {
		return rest
	}
	return upToBlank(rest)
}

// atWord reads what stands between the entity and its version.
func (p *templateParser) atWord() bool {
	word := p.next()
	switch {
	case p.pos == len(p.Args):
		p.fail(p.pos, `"at" and the version are missing at the end`, p.orderCure())
		return false
	case !strings.EqualFold(word, orderWord):
		p.fail(p.pos, fmt.Sprintf(`%q stands where "at" is expected`, word), p.orderCure())
		return false
	case word != orderWord:
		p.fail(p.pos, fmt.Sprintf("%q is not in lower case", word), "write at")
	}
	p.pos += len(orderWord)
	if p.pos < len(p.Args) && p.Args[p.pos] == '{' {
		p.fail(p.pos, `no space separates "at" from the version`, "write one between them")
	}
	p.skip()
	return true
}

func (p *templateParser) orderCure() string {
	return "write the entity, at, and its version: " + p.form().line(p.Name, orderExample)
}

// version reads the one placeholder of the version.
func (p *templateParser) version() {
	start := p.pos
	switch word := p.next(); {
	case word == "":
		p.fail(start, `no version stands behind "at"`, p.orderCure())
		return
	case p.Args[start] != '{':
		p.fail(start, fmt.Sprintf("the version %q is no placeholder", word), p.versionCure(word))
		return
	}
	p.placeholder()
	for _, part := range p.parts {
		if part.optional {
			p.fail(part.offset, fmt.Sprintf(`%s has a "?", and without a version there is no order`, part.written()), "write "+write(part.name(), false))
		}
	}
	p.skip()
	if rest := p.Args[p.pos:]; rest != "" {
		p.fail(p.pos, fmt.Sprintf("an order has one version, and %q is left over", rest), "remove it; a comment goes on a line of its own")
	}
}

// versionCure is the placeholder that a word stands for, or stands before.
func (p *templateParser) versionCure(word string) string {
	if rest := p.Args[p.pos+len(word):]; strings.HasPrefix(rest, "{") {
		body, _, _ := strings.Cut(rest[len("{"):], "}")
		word = body[:len(body)-len(strings.TrimLeftFunc(body, func(r rune) bool { return r != '|' && r != '?' }))]
	}
	if msg, _ := checkPath(word); msg != "" {
		return p.orderCure()
	}
	return "write " + write(word, false)
}

// verbOfVersion refuses a verb behind a version.
func (p *templateParser) verbOfVersion(part *templatePart, offset int) {
	p.fail(offset, "a version has no verb: it is compared as it is", "write "+write(part.name(), false))
	part.unsound = true
}

// resolveOrder looks the placeholders up in the parameters.
func (b *builder) resolveOrder() {
	o := b.h.Order
	if o == nil || b.generic {
		return
	}
	for _, part := range b.entity.parts {
		if part.path == nil {
			o.Entity.Parts = append(o.Entity.Parts, KeyPart{Literal: part.literal})
		} else if resolved, ok := b.resolve(b.entity, part); ok {
			o.Entity.Parts = append(o.Entity.Parts, resolved)
		}
	}
	example := ""
	for _, part := range b.version.parts {
		version, ok := b.resolve(b.version, part)
		if o.Version = version; !ok {
			continue
		}
		example = ", such as :" + part.written() + ","
		if b.orderOK && tells(b.entity.parts, templatePart{path: part.path}) {
			b.errs.Add(b.entity.at(0), fmt.Sprintf("%s is in the entity, and is its version: each version would be an entity of its own", part.written()),
				"take it out of the entity")
		}
	}
	b.versionsApart(example)
}

// versionsApart checks that two versions of an entity have two keys. Example is
// what would see to it.
func (b *builder) versionsApart(example string) {
	more := func(part templatePart) bool { return part.path != nil && !tells(b.entity.parts, part) }
	if !b.keyOK || !b.orderOK || slices.ContainsFunc(b.key.parts, more) {
		return
	}
	b.errs.Add(b.key.at(0), fmt.Sprintf("the key %s has nothing that the entity %s has not: all versions of an entity would be one piece of work", b.key.Args, b.h.Order.Entity.Text),
		fmt.Sprintf("add to the key what tells them apart%s or take something out of the entity", cmp.Or(example, ",")))
}

// tells reports whether a template has a placeholder's text, or what it is
// made of.
func tells(parts []templatePart, part templatePart) bool {
	return slices.ContainsFunc(parts, func(p templatePart) bool {
		whole := !slices.ContainsFunc(p.verbs, func(v writtenVerb) bool { return v.verb != VerbHash })
		return p.path != nil && p.name() == part.name() && (whole || slices.Equal(p.verbNames(), part.verbNames()))
	})
}

// version chooses how the version becomes a number.
func (w *walker) version(key *KeyPart) bool {
	switch {
	case hasInvalid(w.typ):
		return w.failInvalid()
	case w.part.unsound:
		return false
	case w.pointer():
		return w.fail(fmt.Sprintf("%s is a pointer, %s, and without it there is no version", w.part.written(), w.typeName()), w.valueCure())
	}
	kind, way := timeOf(w.typ)
	switch {
	case kind == exactTime, kind == definedTime:
		key.Encoder, key.Convert = EncodeAtTime, kind == definedTime
		return true
	case kind == embedsTime:
		path := w.part.name()
		for _, f := range way {
			path += "." + f.Name()
		}
		return w.fail(fmt.Sprintf("%s is of type %s, which only embeds a time.Time", w.part.written(), w.typeName()), "name the embedded time: "+write(path, false))
	case isInteger(w.typ):
		key.Encoder = EncodeAt
		return true
	}
	reason, cure := unordered(w.typ)
	return w.fail(fmt.Sprintf("%s is of type %s: %s", w.part.written(), w.typeName(), reason), cure)
}

// valueCure says what to name in a pointer's place.
func (w *walker) valueCure() string {
	if obj, _, _ := types.LookupFieldOrMethod(w.typ, true, nil, "AsTime"); obj != nil {
		return "name its method: " + write(w.reached()+".AsTime", false)
	}
	return "make it a value, or name a method that returns one"
}

func isInteger(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0 && basic.Kind() != types.Uintptr
}

// unordered says why a type is no version's.
func unordered(t types.Type) (reason, cure string) {
	if basic, ok := t.Underlying().(*types.Basic); ok {
		switch info := basic.Info(); {
		case info&types.IsString != 0:
			return `as text 10 is before 9`, "name an integer or a time.Time, or a method of your own that makes one of it"
		case info&types.IsFloat != 0:
			return "two versions could be rounded to one number", "use an integer, in the smallest unit, or a time.Time"
		}
	}
	return "it is neither an integer nor a time", "name an integer or a time.Time that grows with every change of the entity"
}
