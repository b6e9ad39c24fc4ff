package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// allowance is an //idem:allow, and what became of it.
type allowance struct {
	Allowed
	from   Directive
	used   bool   // a placeholder has the path
	needed bool   // something would be refused without it
	never  string // why it cannot be allowed
}

// parseAllow reads FIELD REASON.
func (b *builder) parseAllow(d Directive) {
	b.allowUnread = b.allowUnread || d.Unread
	path, reason := d.Args, ""
	if end := strings.IndexFunc(d.Args, unicode.IsSpace); end >= 0 {
		path, reason = d.Args[:end], strings.Join(strings.Fields(d.Args[end:]), " ")
	}
	if d.Uncut != "" && reason == "" {
		b.cut(d)
		return
	}
	if bare := barePath(path); bare != path {
		b.errs.Add(d.ArgsPos, fmt.Sprintf("%q is more than a path", path), "write the path alone: "+d.form().item("allow", bare+" REASON"))
		return
	}
	if msg, cure := checkPath(path); msg != "" {
		b.errs.Add(d.ArgsPos, msg, cure)
		return
	}
	if reason == "" {
		b.errs.Add(d.at(len(d.Args)), fmt.Sprintf("%s says nothing of why %s is fit", d.written(), path),
			"add the reason: "+d.form().item("allow", path+" REASON"))
		return
	}
	a := &allowance{Allowed: Allowed{Pos: d.ArgsPos, Path: path, Reason: reason}, from: d}
	if first := b.allowance(path); first != nil {
		b.errs.Add(d.ArgsPos, fmt.Sprintf("%s is allowed twice, first at %s", path, first.Pos), "remove one of the two")
		return
	}
	b.allowed = append(b.allowed, a)
	b.h.Allowed = append(b.h.Allowed, a.Allowed)
}

// cut reports a reason that a comma has cut in two.
func (b *builder) cut(d Directive) {
	b.errs.Add(d.ArgsPos, fmt.Sprintf("the comma before %q ends the text before it", d.Args), "quote the whole: "+strconv.Quote(d.Uncut))
}

// barePath takes off what a placeholder has around its path, and a sentence
// behind it.
func barePath(text string) string {
	path, _, _ := strings.Cut(strings.Trim(text, "{}:,"), "|")
	return strings.TrimSuffix(strings.ReplaceAll(path, "()", ""), "?")
}

func (b *builder) allowance(path string) *allowance {
	i := slices.IndexFunc(b.allowed, func(a *allowance) bool { return a.Path == path })
	if i < 0 {
		return nil
	}
	return b.allowed[i]
}

// allows reports whether a value that was found unfit is allowed.
func (b *builder) allows(path string) bool {
	a := b.allowance(path)
	if a == nil {
		return b.allowUnread
	}
	a.used, a.needed = true, true
	return true
}

// allow returns the encoder of a refused type that is allowed. A type that has
// none stays refused.
func (b *builder) allow(path string, c choice) Encoder {
	a := b.allowance(path)
	if a == nil && b.allowUnread {
		return c.allowable
	}
	if a == nil {
		return ""
	}
	a.used, a.needed = true, true
	if c.allowable == "" {
		a.never = c.reason
	}
	return c.allowable
}

// checkAllowed reports what is allowed to no end. What is wrong with a
// template has been told, and leaves nothing to say here.
func (b *builder) checkAllowed() {
	if b.generic || !b.keyOK || !b.fingerprintOK || !b.orderOK {
		return
	}
	for _, part := range b.placeholders() {
		if a := b.allowance(part.name()); a != nil {
			a.used = true
		}
	}
	for _, a := range b.allowed {
		b.checkUse(a)
	}
}

func (b *builder) checkUse(a *allowance) {
	switch {
	case !a.used && a.from.Uncut != "":
		b.cut(a.from)
	case !a.used:
		cure := "remove it"
		if near := Suggest(a.Path, b.paths()); near != "" {
			cure = fmt.Sprintf("did you mean %s?", near)
		}
		b.errs.Add(a.Pos, fmt.Sprintf("%s is allowed, and no placeholder has it", a.Path), cure)
	case a.never != "":
		b.errs.Add(a.Pos, fmt.Sprintf("%s cannot be allowed: %s", a.Path, a.never), "remove it, and mend the placeholder")
	case !a.needed && !b.failed(a.Path):
		b.errs.Add(a.Pos, fmt.Sprintf("%s is allowed, and nothing refuses it", a.Path), "remove it")
	}
}

// paths returns those of all placeholders.
func (b *builder) paths() []string {
	var paths []string
	for _, part := range b.placeholders() {
		if part.path != nil {
			paths = append(paths, part.name())
		}
	}
	return paths
}

// placeholders returns all, and the literals beside them.
func (b *builder) placeholders() []templatePart {
	return slices.Concat(b.key.parts, b.fingerprint.parts, b.entity.parts, b.version.parts)
}

// failed reports whether a placeholder of the path has an error, which is
// told alone.
func (b *builder) failed(path string) bool { return slices.Contains(b.broken, path) }
