package spec

import (
	"fmt"
	"go/types"
)

const timeCure = `name a method of your own that returns the business time as text, in UTC, and "" when it is not set`

// refusal is why a type is no leaf of a key, and what to do about it.
type refusal struct{ reason, cure string }

// chooseEncoder picks the encoder of a leaf, or says why there is none. A
// type's own text goes before its kind only where the type says that the
// text can be read back, which is what MarshalText means.
func chooseEncoder(t types.Type, addressable bool) (Encoder, refusal) {
	switch {
	case types.IsInterface(t):
		return "", refusal{"an interface may hold any type", "name a method of it, or take a concrete type"}
	case isTime(t, nil):
		return "", refusal{"the same moment can be written in many ways, and a time that nobody set would give a key too", timeCure}
	}
	for _, own := range ownTexts {
		if own.encoder == EncodeStringer {
			if enc := basicEncoder(t); enc != "" {
				return enc, refusal{}
			}
		}
		fn, index := method(t, addressable, own.method, own.results)
		if fn == nil {
			continue
		}
		if no := refusePromoted(t, own.method, index); no != (refusal{}) {
			return "", no
		}
		return own.encoder, refusal{}
	}
	if enc := bytesEncoder(t); enc != "" {
		return enc, refusal{}
	}
	for _, own := range ownTexts {
		if hasMethod(t, true, own.method, own.results) {
			return "", refusal{
				fmt.Sprintf("its method %s needs a pointer, and what a method returns has no address", own.method),
				fmt.Sprintf("give %s a value receiver", own.method),
			}
		}
	}
	return "", refuse(t)
}

// refusePromoted says why a method that lies with an embedded field does not
// speak for the whole.
func refusePromoted(t types.Type, method string, index []int) refusal {
	for _, f := range embedded(t, index) {
		cure := fmt.Sprintf("name the embedded field %s in the path too", f.Name())
		if nilable(f.Type()) {
			return refusal{fmt.Sprintf("its method %s is that of the embedded field %s, which may be nil", method, f.Name()), cure}
		}
		if Deref(t).Underlying().(*types.Struct).NumFields() > 1 {
			return refusal{
				fmt.Sprintf("its method %s is that of the embedded field %s, which leaves the other fields out", method, f.Name()),
				cure + ", and the others that tell two events apart",
			}
		}
		t = f.Type()
	}
	return refusal{}
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

// isTime reports whether a type is time.Time, is defined over it, or embeds
// it and with that its text.
func isTime(t types.Type, above []types.Type) bool {
	if isNamed(t, "time", "Time") {
		return true
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for _, outer := range above {
		if types.Identical(outer, t) {
			return false
		}
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		if f.Name() == "wall" && f.Pkg().Path() == "time" {
			return true
		}
		if f.Embedded() && isTime(Deref(f.Type()), append(above, t)) {
			return true
		}
	}
	return false
}

// refuse explains the kinds that identify nothing.
func refuse(t types.Type) refusal {
	const whole = "name a field or a method that identifies it"
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsFloat|types.IsComplex) != 0 {
			return refusal{"a number that was rounded is not the same on every delivery", "use an integer, in the smallest unit, or a string"}
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
