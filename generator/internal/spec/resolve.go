package spec

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// resolveKey looks the placeholders up in the parameters. It says nothing of
// a template that does not parse, nor of a generic function, whose parameters
// have no types yet.
func (b *builder) resolveKey() {
	b.h.Key = KeyTemplate{Text: b.key.text}
	if b.generic {
		return
	}
	for _, part := range b.key.parts {
		if part.path == nil {
			b.h.Key.Parts = append(b.h.Key.Parts, KeyPart{Literal: part.literal})
			continue
		}
		if resolved, ok := b.resolve(part); ok {
			b.h.Key.Parts = append(b.h.Key.Parts, resolved)
		}
	}
}

func (b *builder) resolve(part templatePart) (KeyPart, bool) {
	w := &walker{b: b, part: part, pos: b.key.pos.shift(part.offset)}
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
	key := KeyPart{Text: strings.Join(part.path, "."), Param: index, Steps: w.steps, Optional: part.optional}
	return key, w.leaf(&key)
}

// walker follows one placeholder from its parameter to its leaf.
type walker struct {
	b    *builder
	part templatePart
	pos  Pos
	done int // names of the path that were taken

	typ         types.Type // of the value reached
	addressable bool
	steps       []Step
}

func (w *walker) fail(msg, cure string) bool {
	w.b.errs.Add(w.pos, msg, cure)
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
		return 0, w.fail("a parameter called _ cannot be used in the key", "give the parameter a name")
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
		return 0, w.fail(fmt.Sprintf("%s holds the key parameter %s, which the template itself makes", w.part.written(), name),
			"name a parameter that holds the event")
	}
	w.typ, w.addressable = params[index].Type, true
	return index, true
}

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
	case isNamed(Deref(sig.Recv().Type()), "time", "Time"):
		return w.fail(fmt.Sprintf("%s is taken of a time.Time, and a time that nobody set would give a key too", w.part.written()), timeCure)
	case sig.Params().Len() > 0:
		return w.fail(fmt.Sprintf("the method %s of %s takes arguments", name, w.typeName()), "name a field, or a method without arguments")
	case sig.Results().Len() != 1:
		return w.fail(fmt.Sprintf("the method %s of %s returns %d results", name, w.typeName(), sig.Results().Len()),
			"name a field, or a method that returns one value")
	case !w.implicit(index):
		return false
	}
	w.push(name, sig.Results().At(0).Type(), true)
	w.addressable = false
	return true
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

// members returns the names that can be selected, sorted, and those that
// another package keeps to itself.
func (w *walker) members() (names, hidden []string) {
	pkg := w.b.src.Func.Pkg()
	add := func(obj types.Object) {
		if obj.Exported() || obj.Pkg() == pkg {
			names = append(names, obj.Name())
		} else {
			hidden = append(hidden, obj.Name())
		}
	}
	t := Deref(w.typ)
	set := types.NewMethodSet(t)
	if !types.IsInterface(t) {
		set = types.NewMethodSet(types.NewPointer(t))
	}
	for i := range set.Len() {
		add(set.At(i).Obj())
	}
	eachField(t, nil, add)
	slices.Sort(names)
	return slices.Compact(names), hidden
}

// eachField visits the fields of a struct and those that its embedded
// structs promote.
func eachField(t types.Type, above []types.Type, visit func(types.Object)) {
	s, ok := t.Underlying().(*types.Struct)
	if !ok || slices.Contains(above, t) {
		return
	}
	for i := range s.NumFields() {
		visit(s.Field(i))
		if s.Field(i).Embedded() {
			eachField(Deref(s.Field(i).Type()), append(above, t), visit)
		}
	}
}
