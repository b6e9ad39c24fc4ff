package spec

import (
	"fmt"
	"go/types"
)

// leaf chooses the encoder of the value that the path ends at.
func (w *walker) leaf(key *KeyPart) bool {
	t, addressable := w.typ, w.addressable
	pointer := types.Unalias(Deref(t)) != types.Unalias(t)
	if pointer {
		t, addressable = Deref(t), true
	}
	if hasInvalid(t) {
		return w.failInvalid()
	}
	enc, no := chooseEncoder(t, addressable)
	switch {
	case enc == "":
		return w.fail(fmt.Sprintf("%s is of type %s: %s", w.part.written(), w.typeName(), no.reason), no.cure)
	case pointer && !key.Optional:
		return w.fail(fmt.Sprintf("%s is a pointer, %s, and without it there is no key", w.part.written(), w.typeName()),
			fmt.Sprintf("write {%s?} if it may be absent, or make it a value", w.reached()))
	case key.Optional && !pointer && neverAbsent(enc) && !w.guarded():
		return w.fail(fmt.Sprintf("%s is never absent: zero and false are values", w.part.written()),
			fmt.Sprintf("write {%s}", w.reached()))
	}
	key.Encoder, key.Deref = enc, pointer
	switch enc {
	case EncodeText:
		key.AddrOf = !hasMethod(t, false, "MarshalText", bytesAndError)
	case EncodeStringer:
		key.AddrOf = !hasMethod(t, false, "String", justString)
	}
	return true
}

func neverAbsent(enc Encoder) bool {
	return enc == EncodeInt || enc == EncodeUint || enc == EncodeBool
}

// guarded reports whether something on the way may be nil.
func (w *walker) guarded() bool {
	for _, s := range w.steps {
		if s.NilCheck {
			return true
		}
	}
	return false
}
