package spec

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// resolveKey looks the placeholders up in the parameters. It says nothing of
// a template that does not parse, nor of a generic function, whose parameters
// have no types yet.
func (b *builder) resolveKey() {
	b.h.Key = KeyTemplate{Text: b.key.Args}
	if b.generic {
		return
	}
	for _, part := range b.key.parts {
		if part.path == nil {
			b.h.Key.Parts = append(b.h.Key.Parts, KeyPart{Literal: part.literal})
			continue
		}
		if resolved, ok := b.resolve(b.key, part); ok {
			b.h.Key.Parts = append(b.h.Key.Parts, resolved)
		}
	}
}

// resolve follows a placeholder of a template.
func (b *builder) resolve(in template, part templatePart) (KeyPart, bool) {
	w := &walker{b: b, in: in, part: part, fingerprint: in.use == inFingerprint}
	index, ok := w.root(part.path[0])
	if !ok {
		return KeyPart{}, false
	}
	for i, name := range part.path[1:] {
		w.done = i + 1
		if !w.step(name) {
			return KeyPart{}, false
		}
	}
	w.done = len(part.path)
	key := KeyPart{Text: part.name(), Param: index, Steps: w.steps, Optional: part.optional}
	fit := w.fit()
	switch in.use {
	case inFingerprint:
		fit = w.compared(&key) && fit
	case inVersion:
		fit = w.version(&key) && fit
	default:
		fit = w.leaf(&key) && fit
	}
	if fit && part.called != "" {
		fit = w.fail(fmt.Sprintf("{%s} has parentheses", part.called), "write "+part.written())
	}
	return key, fit
}

// walker follows one placeholder from its parameter to its leaf.
type walker struct {
	b           *builder
	in          template
	part        templatePart
	fingerprint bool // it stands in one
	done        int  // names of the path that were taken

	typ         types.Type // of the value reached
	addressable bool
	steps       []Step
	unfit       string // what makes the value differ on every delivery
}

func (w *walker) fail(msg, cure string) bool {
	w.b.errs.Add(w.in.at(w.part.offset), msg, cure)
	w.b.broken = append(w.b.broken, w.part.name())
	return false
}

func (w *walker) failInvalid() bool {
	return w.fail(fmt.Sprintf("the type of %s does not compile", w.reached()), "mend the type first")
}

func (w *walker) typeName() string { return w.b.typeName(w.typ) }

// reached is the part of the path that was taken, for messages.
func (w *walker) reached() string { return strings.Join(w.part.path[:w.done], ".") }

// root finds the parameter that a path begins with.
func (w *walker) root(name string) (index int, ok bool) {
	params := w.b.h.Params
	if name == "_" {
		return 0, w.fail("a parameter called _ cannot be used in "+w.where(), "give the parameter a name")
	}
	index = slices.IndexFunc(params, func(p Param) bool { return p.Name == name })
	if index < 0 {
		return 0, w.noParam(name)
	}
	switch p := params[index]; p.Kind {
	case ContextParam:
		return 0, w.fail(fmt.Sprintf("%s holds the context %s, which differs on every delivery", w.part.written(), name),
			"name a parameter that holds the event")
	case KeyParam:
		return 0, w.fail(fmt.Sprintf("%s holds the key parameter %s, which the key's template itself makes", w.part.written(), name),
			"name a parameter that holds the event")
	case TxParam:
		return 0, w.fail(fmt.Sprintf("%s holds the transaction %s, which differs on every delivery", w.part.written(), name),
			"name a parameter that holds the event")
	case DeliveryParam:
		return 0, w.fail(fmt.Sprintf("%s holds the delivery %s, which differs on every delivery", w.part.written(), name),
			"take the event's id as a parameter, and name that")
	}
	w.typ, w.addressable = params[index].Type, true
	w.unfit = w.b.unfitType(w.typ)
	return index, true
}

func (w *walker) where() string { return "the " + w.in.use.noun() }

func (w *walker) noParam(name string) bool {
	h := w.b.h
	if h.Recv != nil && h.Recv.Name == name {
		return w.fail(fmt.Sprintf("%s begins with the receiver %s, which is not part of the event", w.part.written(), name),
			"name a parameter that holds the event")
	}
	var names []string
	unnamed := false
	for _, p := range h.Params {
		switch {
		case p.Name == "" || p.Name == "_":
			unnamed = unnamed || p.Kind == PassParam
		case p.Kind == PassParam:
			names = append(names, p.Name)
		}
	}
	msg := fmt.Sprintf("%s has no parameter %s", w.b.display(), name)
	near := Suggest(name, names)
	switch {
	case near != "":
		return w.fail(msg, fmt.Sprintf("did you mean %s?", near))
	case unnamed:
		return w.fail(msg, "give the parameter that holds the event a name")
	case len(names) == 0:
		return w.fail(msg, "add one that holds the event")
	}
	return w.fail(msg, "its parameters are "+strings.Join(names, ", "))
}

// step takes one name of the path: a field, or a method without arguments.
func (w *walker) step(name string) bool {
	if hasInvalid(w.typ) {
		return w.failInvalid()
	}
	obj, index, indirect := types.LookupFieldOrMethod(w.typ, w.addressable, w.b.src.Func.Pkg(), name)
	switch obj := obj.(type) {
	case *types.Var:
		w.look(declarer(w.typ, index), name)
		if !w.implicit(index) {
			return false
		}
		w.addressable = w.addressable || nilable(w.typ)
		w.push(name, obj.Type(), false)
		return true
	case *types.Func:
		return w.method(obj, index)
	}
	switch {
	case index != nil:
		return w.fail(fmt.Sprintf("%s is ambiguous in %s: more than one embedded field has it", name, w.typeName()),
			"write the embedded field in the path too")
	case indirect:
		return w.fail(fmt.Sprintf("the method %s needs a pointer, and the %s that %s returns has no address", name, w.typeName(), w.reached()),
			fmt.Sprintf("let %s return a pointer, or give %s a value receiver", w.reached(), name))
	}
	return w.notFound(name)
}

func (w *walker) method(fn *types.Func, index []int) bool {
	sig := fn.Signature()
	name := fn.Name()
	switch {
	case isNamed(Deref(sig.Recv().Type()), "time", "Time") && !w.fingerprint && !w.b.allows(w.part.name()):
		return w.fail(w.timeMethod(name))
	case sig.Params().Len() > 0:
		return w.fail(fmt.Sprintf("the method %s of %s takes arguments", name, w.typeName()), "name a field, or a method without arguments")
	case sig.Results().Len() != 1:
		return w.fail(fmt.Sprintf("the method %s of %s returns %d results", name, w.typeName(), sig.Results().Len()),
			"name a field, or a method that returns one value")
	}
	w.look(declarer(w.typ, index), name)
	if !w.implicit(index) {
		return false
	}
	w.push(name, sig.Results().At(0).Type(), true)
	w.addressable = false
	return true
}

// declarer is the type that a selected field or method lies with.
func declarer(t types.Type, index []int) types.Type {
	for _, f := range embedded(t, index) {
		t = f.Type()
	}
	return t
}

// look notes what makes a value differ on every delivery.
func (w *walker) look(owner types.Type, name string) {
	w.unfit = cmp.Or(w.unfit, w.b.unfitType(owner), w.b.unfitField(owner, name))
}

// implicit takes the steps to embedded fields that a promoted name leaves
// out, as far as one of them may be nil and has to be looked at.
func (w *walker) implicit(index []int) bool {
	fields := embedded(w.typ, index)
	for len(fields) > 0 && !nilable(fields[len(fields)-1].Type()) {
		fields = fields[:len(fields)-1]
	}
	for _, f := range fields {
		if !f.Exported() && f.Pkg() != w.b.src.Func.Pkg() {
			return w.fail(fmt.Sprintf("%s passes through %s, an embedded field of %s that may be nil and that this package cannot look at",
				w.part.written(), f.Name(), w.typeName()), "take the value as a parameter of its own")
		}
		w.push(f.Name(), f.Type(), false)
	}
	return true
}

func (w *walker) push(name string, t types.Type, method bool) {
	w.steps = append(w.steps, Step{Name: name, Method: method, NilCheck: nilable(w.typ), Type: t})
	w.typ = t
	w.unfit = cmp.Or(w.unfit, w.b.unfitType(t))
}

func (w *walker) notFound(name string) bool {
	msg := fmt.Sprintf("%s has no field or method %s", w.typeName(), name)
	names, hidden := w.members()
	switch near := Suggest(name, names); {
	case slices.Contains(hidden, name):
		return w.fail(fmt.Sprintf("%s of %s is not exported", name, w.typeName()), "name an exported field or method")
	case near != "":
		return w.fail(msg, fmt.Sprintf("did you mean %s.%s?", w.reached(), near))
	case len(names) == 0 && basicEncoder(w.typ) != "":
		return w.fail(msg, fmt.Sprintf("end the placeholder at {%s}", w.reached()))
	case len(names) == 0:
		return w.fail(msg, "take another path: it can pass through structs, interfaces and types with methods")
	}
	const most = 8
	if len(names) > most {
		names = append(names[:most:most], "…")
	}
	return w.fail(msg, "it has "+strings.Join(names, ", "))
}
