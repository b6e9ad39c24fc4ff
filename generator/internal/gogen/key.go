package gogen

import (
	"slices"
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
	var part *jen.Statement
	if mayBeNil(p) {
		part = k.guarded(p)
	} else {
		value, first := k.value(p, k.walk(p, nil), partNames(p)...)
		k.before = append(k.before, first...)
		part = k.encode(p, value)
	}
	if p.Optional {
		// idem.Optional(channel)
		return jen.Id(k.idem).Dot("Optional").Call(part)
	}
	return part
}

// mayBeNil reports whether nil may be on the way to the value.
func mayBeNil(p spec.KeyPart) bool {
	return p.Deref || slices.ContainsFunc(p.Steps, func(s spec.Step) bool { return s.NilCheck })
}

// leaf is the end of a placeholder's path.
type leaf struct {
	expr        string
	guards      []guard // around what reads expr, outermost first
	addressable bool
}

// guard is a condition on the way: what may be nil is not. The result of a
// method that is looked at and used is kept in between, since the next call
// may give another.
type guard struct {
	local, call string // order and event.Order(); empty if there is no method
	notNil      []string
}

// walk follows a placeholder's path. Locals are the names for guards.
func (k *keyBuilder) walk(p spec.KeyPart, locals *scope) leaf {
	l := leaf{expr: k.params[p.Param], addressable: true}
	embedded := "" // selectors since expr that the developer left out
	t := k.Params[p.Param].Type
	keep := usedTwice(p)
	for i, implicit := range implicitSteps(p) {
		step := p.Steps[i]
		if step.NilCheck {
			l.check(l.expr + embedded)
		}
		l.addressable = !step.Method && (l.addressable || isPointer(t))
		t = step.Type
		if implicit {
			embedded += selector(step)
			continue
		}
		l.expr, embedded = l.expr+selector(step), ""
		if keep[i] {
			name := spec.LowerFirst(strings.TrimPrefix(step.Name, "Get"))
			name = locals.take(name, name+"Value")
			l.guards = append(l.guards, guard{local: name, call: l.expr})
			l.expr, l.addressable = name, true
		}
	}
	if p.Deref {
		l.check(l.expr)
	}
	return l
}

// usedTwice tells for each step whether it is a method whose result is looked
// at before it is used.
func usedTwice(p spec.KeyPart) []bool {
	twice := make([]bool, len(p.Steps))
	checked := p.Deref
	for i := len(p.Steps) - 1; i >= 0; i-- {
		twice[i] = p.Steps[i].Method && checked
		checked = p.Steps[i].NilCheck || checked && !twice[i]
	}
	return twice
}

// check adds an expression that may be nil.
func (l *leaf) check(expr string) {
	if len(l.guards) == 0 {
		l.guards = append(l.guards, guard{})
	}
	last := &l.guards[len(l.guards)-1]
	last.notNil = append(last.notNil, expr)
}

// around puts statements under the guard.
func (g guard) around(body []jen.Code) jen.Code {
	condition := strings.Join(g.notNil, " != nil && ") + " != nil"
	if g.local == "" {
		// if event != nil && event.Channel != nil {...}
		return jen.If(jen.Id(condition)).Block(body...)
	}
	// if order := event.Order(); order != nil {...}
	return jen.If(jen.Id(g.local).Op(":=").Id(g.call), jen.Id(condition)).Block(body...)
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

// partNames returns the names that a variable for a part may have: id,
// orderID, idPart.
func partNames(p spec.KeyPart) []string {
	path := strings.Split(p.Text, ".")
	n := len(path)
	last := strings.TrimPrefix(path[n-1], "Get")
	names := []string{spec.LowerFirst(last)}
	if n > 1 {
		names = append(names, spec.LowerFirst(path[n-2])+spec.UpperFirst(last))
	}
	return append(names, spec.LowerFirst(last)+"Part")
}

// guarded makes a variable for a part that cannot be reached over nil.
func (k *keyBuilder) guarded(p spec.KeyPart) *jen.Statement {
	name := k.scope.take(partNames(p)...)
	l := k.walk(p, k.scope.clone())
	value, body := k.value(p, l, name+"Value")
	body = append(body, jen.Id(name).Op("=").Add(k.encode(p, value)))
	for i := len(l.guards) - 1; i >= 0; i-- {
		body = []jen.Code{l.guards[i].around(body)}
	}
	// channel := idem.Missing("event.Channel")
	// if event != nil && event.Channel != nil {
	//	channel = idem.String("event.Channel", *event.Channel)
	// }
	k.before = append(k.before, jen.Id(name).Op(":=").Id(k.idem).Dot("Missing").Call(jen.Lit(p.Text)))
	k.before = append(k.before, body...)
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
