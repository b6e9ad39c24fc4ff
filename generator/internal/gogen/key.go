package gogen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// keyDecl declares the key function. It takes what the key is made of.
func (w *wrapper) keyDecl() jen.Code {
	idem := w.out.imports.of(runtimePath)
	b := w.newParts()
	// return notifySpec.Key(
	//	idem.Literal("notify:"),
	//	idem.String("event.ID", event.ID),
	// )
	result := jen.Return(jen.Id(w.spec).Dot("Key").Add(b.arguments(w.Key.Parts)))
	// NotifyKey returns the key of Notify, notify:{event.ID}.
	decl := above("%s returns the key of %s, %s.", w.KeyFunc(), w.title(), w.Key.Text)
	// func NotifyKey(event ShippedEvent) (idem.Key, error) {
	return decl.Add(signature("func", "", w.KeyFunc(), w.fieldsOf(w.keyed()), "("+idem+".Key, error)")).
		Block(append(b.before, result)...)
}

// partsBuilder makes the parts of a key, a fingerprint or an order, in a function of
// their own.
type partsBuilder struct {
	*wrapper
	idem   string
	scope  *scope
	before []jen.Code // statements that the parts need
}

func (w *wrapper) newParts() *partsBuilder {
	return &partsBuilder{wrapper: w, idem: w.out.imports.of(runtimePath), scope: w.scope.inner()}
}

// arguments returns the parts as the arguments of a call, a line each.
func (b *partsBuilder) arguments(parts []spec.KeyPart) jen.Code {
	var args []jen.Code
	text := ""
	flush := func() {
		if text != "" {
			// idem.Literal("notify:")
			args = append(args, jen.Id(b.idem).Dot("Literal").Call(jen.Lit(text)))
		}
		text = ""
	}
	for _, p := range parts {
		if p.Text == "" {
			text += p.Literal
			continue
		}
		flush()
		args = append(args, b.placeholder(p))
	}
	flush()
	return jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, args...)
}

// placeholder returns the expression of a part. The statements that it needs
// first go to before.
func (b *partsBuilder) placeholder(p spec.KeyPart) *jen.Statement {
	var part *jen.Statement
	if mayBeNil(p) {
		part = b.guarded(p)
	} else {
		value, first := b.value(p, b.walk(p, nil), partNames(p)...)
		b.before = append(b.before, first...)
		part = b.encode(p, value)
	}
	if p.Optional {
		// idem.Optional(channel)
		return jen.Id(b.idem).Dot("Optional").Call(part)
	}
	return part
}

// partNames returns the names that a variable for a part may have: id,
// orderID, idPart.
func partNames(p spec.KeyPart) []string {
	path := strings.Split(p.Text, ".")
	n := len(path)
	last := property(path[n-1])
	names := []string{spec.LowerFirst(last)}
	if n > 1 {
		names = append(names, spec.LowerFirst(path[n-2])+spec.UpperFirst(last))
	}
	return append(names, spec.LowerFirst(last)+"Part")
}

// guarded makes a variable for a part that cannot be reached over nil.
func (b *partsBuilder) guarded(p spec.KeyPart) *jen.Statement {
	name := b.scope.take(partNames(p)...)
	l := b.walk(p, b.scope.inner())
	value, body := b.value(p, l, name+"Value")
	body = append(body, jen.Id(name).Op("=").Add(b.encode(p, value)))
	for i := len(l.guards) - 1; i >= 0; i-- {
		body = []jen.Code{l.guards[i].around(body)}
	}
	// channel := idem.Missing("event.Channel")
	// if event != nil && event.Channel != nil {
	//	channel = idem.String("event.Channel", *event.Channel)
	// }
	b.before = append(b.before, jen.Id(name).Op(":=").Id(b.idem).Dot(missing(p)).Call(jen.Lit(p.Text)))
	b.before = append(b.before, body...)
	return jen.Id(name)
}

// value returns what the encoder of a part gets, and the statement that it
// needs first where the leaf has no address.
func (b *partsBuilder) value(p spec.KeyPart, l leaf, names ...string) (string, []jen.Code) {
	var first []jen.Code
	if (p.AddrOf || p.Encoder == spec.EncodeByteArray) && !p.Deref && !l.addressable {
		name := b.scope.take(names...)
		// token := event.Token()
		first = append(first, jen.Id(name).Op(":=").Id(l.expr))
		l.expr = name
	}
	value := b.operand(p, l.expr)
	if p.Convert {
		// time.Time(event.At)
		value = b.out.imports.of("time") + ".Time(" + value + ")"
	}
	return value, first
}

// operand makes a leaf what its encoder takes.
func (b *partsBuilder) operand(p spec.KeyPart, leaf string) string {
	switch {
	case p.Encoder == spec.EncodeByteArray:
		return leaf + "[:]"
	case p.AddrOf && !p.Deref:
		return "&" + leaf
	case p.Deref && !p.AddrOf:
		return "*" + leaf
	}
	return leaf
}

func (b *partsBuilder) encode(p spec.KeyPart, value string) *jen.Statement {
	// idem.String("event.ID", event.ID)
	part := jen.Id(b.idem).Dot(string(p.Encoder)).Call(jen.Lit(p.Text), jen.Id(value))
	for _, verb := range p.Verbs {
		// idem.Lower(idem.String("event.Email", event.Email))
		part = jen.Id(b.idem).Dot(spec.UpperFirst(string(verb))).Call(part)
	}
	return part
}
