package spec

import (
	"fmt"
	"go/types"
	"unicode"
	"unicode/utf8"
)

// PayloadKeep is what can be done with a payload.
const PayloadKeep = "keep"

// parsePayload reads that the event is kept. There is one way to.
func (b *builder) parsePayload(d Directive) {
	if text := b.word(d); text != PayloadKeep {
		b.errs.Add(d.ArgsPos, fmt.Sprintf("%q is nothing that can be done with a payload", text), "write "+b.form.line("payload", PayloadKeep))
		return
	}
	b.h.Payload = true
}

// payload checks a handler whose event is kept: JSON has to hold each of its
// values, and the name of the function that redrives has to be free.
func (b *builder) payload() {
	if !b.h.Payload || b.generic {
		return
	}
	b.freeMethod(b.h.Redrive())
	params := b.src.Func.Signature().Params()
	for i, p := range b.h.Params {
		if p.Kind == PassParam {
			b.keepable(params.At(i))
		}
	}
}

// keepable reports a parameter that encoding/json cannot write, or cannot read
// back.
func (b *builder) keepable(v *types.Var) {
	fault, cure := "", "take another type, or leave the field out with the tag `json:\"-\"`"
	switch t := v.Type(); {
	case types.IsInterface(t):
		fault, cure = fmt.Sprintf("it is an interface, %s, and JSON cannot tell which type to read back", b.typeName(t)), "take a concrete type"
	case keepsNothing(Deref(t), true):
		fault, cure = "JSON keeps no field of "+b.typeName(Deref(t)), "export its fields, or give it a MarshalJSON and an UnmarshalJSON method"
	default:
		fault = (&jsonCheck{name: b.typeName}).check(t, true, b.typeName(t))
	}
	if fault != "" {
		b.errs.Add(b.src.At(v.Pos()), fmt.Sprintf("the parameter %s of %s cannot be kept as JSON: %s", v.Name(), b.display(), fault), cure)
	}
}

// Redrive returns the name of the generated function that delivers kept events
// again: RedriveNotify, exported as the handler is. It is a method when the
// handler is one.
func (h *Handler) Redrive() string {
	if first, _ := utf8.DecodeRuneInString(h.Func); unicode.IsUpper(first) {
		return "Redrive" + h.Func
	}
	return "redrive" + UpperFirst(h.Func)
}
