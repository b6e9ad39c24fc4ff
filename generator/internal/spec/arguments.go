package spec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// MaxAttempts keeps the count far from the end of the database's integer.
const MaxAttempts = 1_000_000

var namespacePattern = regexp.MustCompile(`^` + NamespaceForm + `$`)

// word returns the first word of a directive that takes one, and reports
// more.
func (b *builder) word(d Directive) string {
	end := strings.IndexFunc(d.Args, unicode.IsSpace)
	if end < 0 {
		return d.Args
	}
	rest := strings.TrimLeftFunc(d.Args[end:], unicode.IsSpace)
	b.errs.Add(d.at(len(d.Args)-len(rest)),
		fmt.Sprintf("%s takes one argument, and %q is left over", d.written(), rest),
		"remove it; a comment goes on a line of its own")
	return d.Args[:end]
}

// addAt notes an error, if there is one, that has no place yet.
func (b *builder) addAt(pos Pos, err *Error) {
	if err != nil {
		b.errs.Add(pos, err.Msg, err.Cure)
	}
}

func (b *builder) parseLease(d Directive) {
	lease, err := ParseLease(b.word(d))
	b.addAt(d.ArgsPos, err)
	b.h.Lease = lease // after an error 0, so that nothing is compared with it
}

func (b *builder) parseRetain(d Directive) {
	retain, err := ParseRetain(b.word(d))
	b.addAt(d.ArgsPos, err)
	b.h.Retain = retain // after an error 0
}

func (b *builder) parseAttempts(d Directive) {
	attempts, err := ParseAttempts(b.word(d))
	b.addAt(d.ArgsPos, err)
	b.h.Attempts = attempts
}

// ParseAttempts reads a limit of attempts. The error has no place.
func ParseAttempts(s string) (int, *Error) {
	n, err := strconv.Atoi(s)
	if err != nil || s[0] == '+' || n < 1 || n > MaxAttempts {
		return 0, &Error{
			Msg:  fmt.Sprintf("%q is not a number of attempts", s),
			Cure: fmt.Sprintf("write a whole number from 1 to %d", MaxAttempts),
		}
	}
	return n, nil
}

func (b *builder) parseName(d Directive) {
	text := b.word(d)
	if !namespacePattern.MatchString(text) {
		b.errs.Add(d.ArgsPos, fmt.Sprintf("%q is not a namespace", text), namespaceCure)
		return
	}
	b.h.Namespace, b.h.named = text, d.ArgsPos
}

const namespaceCure = `use a-z, 0-9, "_", "." and "-", and begin with a letter, a digit or "_"`

// namespace takes the namespace from the key where no directive gives it.
func (b *builder) namespace() {
	if _, ok := b.given["name"]; ok || !b.keyOK {
		return
	}
	name, _, ok := strings.Cut(b.key.parts[0].literal, ":")
	switch {
	case !ok:
		b.errs.Add(b.key.at(0), fmt.Sprintf("the key %s does not begin with a namespace", b.key.Args),
			fmt.Sprintf("begin it with one and a colon, such as %s:, or add %s", b.h.SnakeBase(), b.form.line("name", b.h.SnakeBase())))
	case !namespacePattern.MatchString(name):
		b.errs.Add(b.key.at(0), fmt.Sprintf("%q, before the key's first colon, is not a namespace", name), namespaceCure+"; or add "+b.form.name("name"))
	default:
		b.h.Namespace = name
	}
}
