package spec

import (
	"fmt"
	"go/types"
	"slices"
)

// leaf chooses the encoder of the value that the path ends at.
func (w *walker) leaf(key *KeyPart) bool {
	t, addressable := w.typ, w.addressable
	pointer := w.pointer()
	if pointer {
		t, addressable = Deref(t), true
	}
	if hasInvalid(t) {
		return w.failInvalid()
	}
	if w.part.unsound {
		return false
	}
	if !w.encoder(key, t, addressable) || !w.changes(key) {
		return false
	}
	switch {
	case pointer && !key.Optional && !w.fingerprint:
		return w.fail(fmt.Sprintf("%s is a pointer, %s, and without it there is no %s", w.part.written(), w.typeName(), w.in.use.noun()),
			fmt.Sprintf("write %s if it may be absent, or make it a value", write(w.reached(), true, w.part.verbNames()...)))
	case key.Optional && w.neverAbsent(key.Encoder):
		return w.fail(fmt.Sprintf("%s is never absent: zero and false are values", w.part.written()),
			"write "+write(w.reached(), false, w.part.verbNames()...))
	}
	key.Deref = pointer
	switch key.Encoder {
	case EncodeText:
		key.AddrOf = !hasMethod(t, false, "MarshalText", bytesAndError)
	case EncodeStringer:
		key.AddrOf = !hasMethod(t, false, "String", justString)
	}
	return true
}

// encoder sets what writes a value of the type: the verb that says so, or
// what the type allows.
func (w *walker) encoder(key *KeyPart, t types.Type, addressable bool) bool {
	if verb, ok := w.part.whole(); ok {
		key.Encoder = verb.encoder
		if key.Encoder == EncodeJSON {
			return w.takesJSON(t, verb)
		}
		return w.takesTime(key, t, verb)
	}
	var c choice
	if kind, _ := timeOf(t); kind != noTime {
		c = w.bareTime(t, addressable)
	} else {
		c = chooseEncoder(t, addressable)
	}
	if c.encoder == "" {
		c.encoder = w.b.allow(w.part.name(), c)
	}
	if c.encoder == "" {
		return w.fail(fmt.Sprintf("%s is of type %s: %s", w.part.written(), w.typeName(), c.reason), c.cure)
	}
	key.Encoder = c.encoder
	return true
}

// takesTime checks what a verb for times is written behind.
func (w *walker) takesTime(key *KeyPart, t types.Type, verb writtenVerb) bool {
	switch kind, _ := timeOf(t); kind {
	case exactTime:
		return true
	case definedTime:
		key.Convert = true
		return true
	case embedsTime:
		return w.fail(fmt.Sprintf("%s is of type %s, which only embeds a time.Time", w.part.written(), w.typeName()), w.timeCure(w.part.name(), w.typ, timeVerbs))
	}
	cure := "name a time.Time"
	if enc := chooseEncoder(t, true).encoder; enc != "" {
		cure += ", or write " + w.withoutVerbs(enc, verb.same)
	}
	return w.failVerb(verb, fmt.Sprintf("%s takes a time.Time, and %s is of type %s", verb.name, w.part.name(), w.typeName()), cure)
}

// changes sets the verbs that change the text, and refuses those that find
// nothing to change: what the generator writes itself is in lower case and
// has no space.
func (w *walker) changes(key *KeyPart) bool {
	sound := true
	own := key.Encoder == EncodeString || key.Encoder == EncodeText || key.Encoder == EncodeStringer
	useless := func(v writtenVerb) bool { return v.verb != "" && v.verb != VerbHash && !own }
	for _, v := range w.part.verbs {
		if v.verb == "" {
			continue
		}
		if useless(v) {
			sound = w.failVerb(v, fmt.Sprintf("%s changes nothing in a value of type %s", v.name, w.typeName()), "write "+w.withoutVerbs(key.Encoder, useless))
		}
		key.Verbs = append(key.Verbs, v.verb)
	}
	return sound
}

// failVerb reports an error at a verb.
func (w *walker) failVerb(verb writtenVerb, msg, cure string) bool {
	w.b.errs.Add(w.in.at(verb.offset), msg, cure)
	w.b.broken = append(w.b.broken, w.part.name())
	return false
}

// withoutVerbs is the placeholder without some of its verbs, as it would be
// taken with an encoder.
func (w *walker) withoutVerbs(enc Encoder, out func(writtenVerb) bool) string {
	part := w.part
	part.verbs = slices.DeleteFunc(slices.Clone(part.verbs), out)
	optional := part.optional && !w.neverAbsent(enc) || w.pointer() && !w.fingerprint
	return write(part.name(), optional, part.verbNames()...)
}

func (v writtenVerb) same(other writtenVerb) bool { return v.name == other.name }

// neverAbsent reports whether the value is there whatever it is.
func (w *walker) neverAbsent(enc Encoder) bool {
	return (enc == EncodeInt || enc == EncodeUint || enc == EncodeBool) && !w.pointer() && !w.guarded()
}

// pointer reports whether the value is one.
func (w *walker) pointer() bool { return types.Unalias(Deref(w.typ)) != types.Unalias(w.typ) }

// guarded reports whether something on the way may be nil.
func (w *walker) guarded() bool {
	return slices.ContainsFunc(w.steps, func(s Step) bool { return s.NilCheck })
}
