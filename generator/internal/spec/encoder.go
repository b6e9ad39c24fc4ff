package spec

import (
	"fmt"
	"go/types"
)

// refusal is why something is no part of a key, and what to do about it.
type refusal struct{ reason, cure string }

// choice is the encoder of a leaf, or why there is none.
type choice struct {
	encoder Encoder
	refusal
	allowable Encoder // the one that //idem:allow makes of a refused type
}

func refused(reason, cure string) choice { return choice{refusal: refusal{reason, cure}} }

// chooseEncoder picks the encoder of a leaf, or says why there is none. A
// type's own text goes before its kind only where the type says that the
// text can be read back, which is what MarshalText means.
func chooseEncoder(t types.Type, addressable bool) choice {
	switch {
	case types.IsInterface(t):
		return refused("an interface may hold any type", "name a method of it, or take a concrete type")
	case isProto(t):
		return refused("the text of a protobuf message differs from build to build", protoCure(t))
	}
	for _, own := range ownTexts {
		if own.encoder == EncodeStringer {
			if enc := basicEncoder(t); enc != "" {
				return choice{encoder: enc}
			}
		}
		if fn, index := method(t, addressable, own.method, own.results); fn != nil {
			return ownText(t, own.method, own.encoder, index)
		}
	}
	if enc := bytesEncoder(t); enc != "" {
		return choice{encoder: enc}
	}
	for _, own := range ownTexts {
		if hasMethod(t, true, own.method, own.results) {
			return refused(fmt.Sprintf("its method %s needs a pointer, and what a method returns has no address", own.method),
				fmt.Sprintf("give %s a value receiver", own.method))
		}
	}
	return choice{refusal: refuse(t)}
}

// ownText takes the text that a type makes itself, unless the method lies with
// an embedded field and does not speak for the whole.
func ownText(t types.Type, method string, enc Encoder, index []int) choice {
	var no choice
	for _, f := range embedded(t, index) {
		cure := fmt.Sprintf("name the embedded field %s in the path too", f.Name())
		if nilable(f.Type()) {
			return refused(fmt.Sprintf("its method %s is that of the embedded field %s, which may be nil", method, f.Name()), cure)
		}
		if no.reason == "" && Deref(t).Underlying().(*types.Struct).NumFields() > 1 {
			no = refused(fmt.Sprintf("its method %s is that of the embedded field %s, which leaves the other fields out", method, f.Name()),
				cure+", and the others that tell two events apart")
			no.allowable = enc
		}
		t = f.Type()
	}
	if no.reason == "" && isNamed(Deref(t), "math/big", "Float") {
		no.refusal, no.allowable = rounded, enc
	}
	if no.reason != "" {
		return no
	}
	return choice{encoder: enc}
}

// isProto reports whether a type is a protobuf message, whose String is made
// to be of no use to programs.
func isProto(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "ProtoReflect")
	_, ok := obj.(*types.Func)
	return ok
}

func protoCure(t types.Type) string {
	if obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "AsTime"); obj != nil {
		return "name its method AsTime, with a verb such as AsTime|date"
	}
	return "name one of its fields"
}

// ownTexts are the methods by which a type makes its own text.
var ownTexts = []struct {
	encoder Encoder
	method  string
	results *types.Tuple
}{
	{EncodeText, "MarshalText", bytesAndError},
	{EncodeStringer, "String", justString},
}

func basicEncoder(t types.Type) Encoder {
	basic, ok := t.Underlying().(*types.Basic)
	if !ok {
		return ""
	}
	switch info := basic.Info(); {
	case info&types.IsString != 0:
		return EncodeString
	case info&types.IsUnsigned != 0:
		return EncodeUint
	case info&types.IsInteger != 0:
		return EncodeInt
	case info&types.IsBoolean != 0:
		return EncodeBool
	}
	return ""
}

// bytesEncoder takes bytes under their own name only: a slice of a named
// byte type does not convert to []byte.
func bytesEncoder(t types.Type) Encoder {
	switch u := t.Underlying().(type) {
	case *types.Array:
		if u.Len() > 0 && isByte(u.Elem()) {
			return EncodeByteArray
		}
	case *types.Slice:
		if isByte(u.Elem()) {
			return EncodeBytes
		}
	}
	return ""
}

func isByte(t types.Type) bool { return types.Identical(t, types.Typ[types.Byte]) }

var rounded = refusal{"a number that was rounded is not the same on every delivery", "use an integer, in the smallest unit, or a string"}

// refuse explains the kinds that identify nothing.
func refuse(t types.Type) refusal {
	const whole = "name a field or a method that identifies it"
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsFloat|types.IsComplex) != 0 {
			return rounded
		}
	case *types.Map:
		return refusal{"a map has no order", whole}
	case *types.Slice, *types.Array:
		return refusal{"of these only bytes have a text", "name a method of your own that makes one string of the elements"}
	case *types.Struct:
		return refusal{"it has neither MarshalText nor String", "name one of its fields, or give it one of these methods"}
	case *types.Pointer:
		return refusal{"a pointer to a pointer identifies nothing", "use a value"}
	}
	return refusal{"it is not the same on every delivery", "name a value that identifies the event"}
}
