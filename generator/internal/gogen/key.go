package gogen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// keyDecl declares the key function. It takes what the key is made of.
func (w *wrapper) keyDecl() jen.Code {
	idem := w.out.imports.of(runtimePath)
	var fields []field
	for _, i := range w.keyed() {
		fields = append(fields, w.field(i))
	}
	k := &keyBuilder{wrapper: w, idem: idem, scope: w.scope.clone()}
	parts := k.parts()
	// NotifyKey returns the key of Notify, notify:{event.ID}.
	decl := above("%s returns the key of %s, %s.", w.KeyFunc(), w.title(), w.Key.Text)
	// return notifySpec.Key(
	//	idem.Literal("notify:"),
	//	idem.String("event.ID", event.ID),
	// )
	result := jen.Return(jen.Id(w.spec).Dot("Key").Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, parts...))
	// func NotifyKey(event ShippedEvent) (idem.Key, error) {
	return decl.Add(signature("func", "", w.KeyFunc(), fields, "("+idem+".Key, error)")).Block(append(k.before, result)...)
}

// keyBuilder makes the parts of a key.
type keyBuilder struct {
	*wrapper
	idem   string
	scope  *scope
	before []jen.Code // statements that the parts need
}

func (k *keyBuilder) parts() []jen.Code {
	var parts []jen.Code
	text := ""
	flush := func() {
		if text != "" {
			// idem.Literal("notify:")
			parts = append(parts, jen.Id(k.idem).Dot("Literal").Call(jen.Lit(text)))
		}
		text = ""
	}
	for _, p := range k.Key.Parts {
		if p.Text == "" {
			text += p.Literal
			continue
		}
		flush()
		parts = append(parts, k.placeholder(p))
	}
	flush()
	return parts
}

// placeholder returns the expression of a part. The statements that it needs
// first go to before.
func (k *keyBuilder) placeholder(p spec.KeyPart) *jen.Statement {
	leaf := k.walk(p)
	var part *jen.Statement
	if len(leaf.notNil) > 0 {
		part = k.guarded(p, leaf)
	} else {
		value, first := k.value(p, leaf, leaf.names()...)
		k.before = append(k.before, first...)
		part = k.encode(p, value)
	}
	if p.Optional {
		// idem.Optional(channel)
		return jen.Id(k.idem).Dot("Optional").Call(part)
	}
	return part
}

// leaf is the end of a placeholder's path.
type leaf struct {
	expr        string
	path        []string // names on the way, the parameter's first
	notNil      []string // expressions that may be nil on the way
	addressable bool
}

func (k *keyBuilder) walk(p spec.KeyPart) leaf {
	param := k.Params[p.Param]
	l := leaf{expr: k.params[p.Param], path: []string{param.Name}, addressable: true}
	embedded := "" // selectors since expr that the developer left out
	t := param.Type
	for i, implicit := range implicitSteps(p) {
		step := p.Steps[i]
		if step.NilCheck {
			l.notNil = append(l.notNil, l.expr+embedded)
		}
		l.addressable = !step.Method && (l.addressable || isPointer(t))
		t = step.Type
		if implicit {
			embedded += selector(step)
			continue
		}
		l.expr, embedded = l.expr+selector(step), ""
		l.path = append(l.path, step.Name)
	}
	if p.Deref {
		l.notNil = append(l.notNil, l.expr)
	}
	return l
}

func selector(step spec.Step) string {
	if step.Method {
		return "." + step.Name + "()"
	}
	return "." + step.Name
}

// implicitSteps tells for each step whether it is an embedded field that the
// placeholder leaves out.
func implicitSteps(p spec.KeyPart) []bool {
	implicit := make([]bool, len(p.Steps))
	written := strings.Split(p.Text, ".")[1:]
	for i, step := range p.Steps {
		implicit[i] = len(written) == 0 || step.Name != written[0]
		if !implicit[i] {
			written = written[1:]
		}
	}
	return implicit
}

// names returns the names that a variable for the leaf may have: id, orderID,
// idPart.
func (l leaf) names() []string {
	n := len(l.path)
	last := strings.TrimPrefix(l.path[n-1], "Get")
	names := []string{lowerCamel(last)}
	if n > 1 {
		names = append(names, lowerCamel(l.path[n-2])+upperFirst(last))
	}
	return append(names, lowerCamel(last)+"Part")
}

// guarded makes a variable for a part that cannot be reached over a nil
// pointer.
func (k *keyBuilder) guarded(p spec.KeyPart, l leaf) *jen.Statement {
	name := k.scope.take(l.names()...)
	value, first := k.value(p, l, name+"Value")
	k.before = append(k.before,
		// channel := idem.Missing("event.Channel")
		jen.Id(name).Op(":=").Id(k.idem).Dot("Missing").Call(jen.Lit(p.Text)),
		// if event != nil && event.Channel != nil {
		//	channel = idem.String("event.Channel", *event.Channel)
		// }
		jen.If(jen.Id(strings.Join(l.notNil, " != nil && ")+" != nil")).Block(
			append(first, jen.Id(name).Op("=").Add(k.encode(p, value)))...,
		),
	)
	return jen.Id(name)
}

// value returns what the encoder of a part gets, and the statement that it
// needs first where the leaf has no address.
func (k *keyBuilder) value(p spec.KeyPart, l leaf, names ...string) (string, []jen.Code) {
	switch {
	case p.Deref && p.AddrOf:
		return l.expr, nil
	case p.Deref && p.Encoder != spec.EncodeByteArray:
		return "*" + l.expr, nil
	case p.Deref:
		return l.expr + "[:]", nil
	case !p.AddrOf && p.Encoder != spec.EncodeByteArray:
		return l.expr, nil
	}
	var first []jen.Code
	if !l.addressable {
		name := k.scope.take(names...)
		// token := event.Token()
		first = append(first, jen.Id(name).Op(":=").Id(l.expr))
		l.expr = name
	}
	if p.AddrOf {
		return "&" + l.expr, first
	}
	return l.expr + "[:]", first
}

func (k *keyBuilder) encode(p spec.KeyPart, value string) *jen.Statement {
	// idem.String("event.ID", event.ID)
	return jen.Id(k.idem).Dot(string(p.Encoder)).Call(jen.Lit(p.Text), jen.Id(value))
}
