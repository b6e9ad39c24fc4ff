package runtime

import (
	"encoding"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
)

// Part is a value under the name that it has in a template, or a literal. The
// generated functions build parts, and make keys of them by [Spec.Key] and
// fingerprints by [NewFingerprint].
type Part struct {
	name     string // of the placeholder, for errors; empty for a literal
	text     string // the value's, not escaped
	err      error  // from the value's own MarshalText, say
	kind     kind
	verbs    verbs
	missing  bool
	optional bool
}

// kind tells which function made a part. Fingerprints are stored with it, so
// that a kind keeps its number.
type kind uint8

const (
	literal kind = iota // or one that is missing, whatever it would have been
	stringKind
	intKind
	uintKind
	boolKind
	bytesKind
	byteArrayKind
	textKind
	stringerKind
	dateKind
	hourKind
	unixKind
	valueKind
	jsonKind
)

// Literal is text of the template itself. It is not escaped.
func Literal(text string) Part { return Part{text: text} }

// String is a part of a string. The empty string is missing.
func String[T ~string](name string, v T) Part { return textPart(stringKind, name, string(v)) }

// Int is a part of a signed integer, in decimal. Zero is a value like any
// other: partition 0 and offset 0 exist.
func Int[T ~int | ~int8 | ~int16 | ~int32 | ~int64](name string, v T) Part {
	return Part{kind: intKind, name: name, text: strconv.FormatInt(int64(v), 10)}
}

// Uint is a part of an unsigned integer, in decimal. Zero is a value.
func Uint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](name string, v T) Part {
	return Part{kind: uintKind, name: name, text: strconv.FormatUint(uint64(v), 10)}
}

// Bool is a part of a bool: true or false.
func Bool[T ~bool](name string, v T) Part {
	return Part{kind: boolKind, name: name, text: strconv.FormatBool(bool(v))}
}

// Bytes is a part of a byte slice, in lower-case hexadecimal. No bytes at
// all are missing.
func Bytes[T ~[]byte](name string, v T) Part {
	return textPart(bytesKind, name, hex.EncodeToString(v))
}

// ByteArray is a part of a byte array, passed as a slice of it, in lower-case
// hexadecimal. An array of zeroes is missing: it is what an identifier that
// nobody set looks like.
func ByteArray(name string, v []byte) Part {
	return Part{kind: byteArrayKind, name: name, text: hex.EncodeToString(v), missing: allZero(v)}
}

// Text is a part of a value that marshals itself to text, such as a UUID. A
// zero value, and one that marshals to nothing, are missing.
func Text[T encoding.TextMarshaler](name string, v T) Part {
	if isZero(v) {
		return Missing(name)
	}
	text, err := v.MarshalText()
	if err != nil {
		return Part{kind: textKind, name: name, err: err}
	}
	return textPart(textKind, name, string(text))
}

// Stringer is a part of a value that has a String method and no MarshalText.
// A zero value, and one whose text is empty, are missing.
func Stringer[T fmt.Stringer](name string, v T) Part {
	if isZero(v) {
		return Missing(name)
	}
	return textPart(stringerKind, name, v.String())
}

// Missing is a part whose value cannot be reached, because a pointer on the
// way to it is nil.
func Missing(name string) Part { return Part{name: name, missing: true} }

// textPart is missing if its text is empty.
func textPart(kind kind, name, text string) Part {
	return Part{kind: kind, name: name, text: text, missing: text == ""}
}

func allZero(v []byte) bool {
	for _, b := range v {
		if b != 0 {
			return false
		}
	}
	return true
}

// isZero reports whether a value is one that nobody set, by its own IsZero
// where it has one.
func isZero[T any](v T) bool {
	rv := reflect.ValueOf(&v).Elem()
	if rv.Kind() == reflect.Pointer {
		if rv.IsNil() {
			return true
		}
		rv = rv.Elem()
	}
	if z, ok := any(v).(interface{ IsZero() bool }); ok {
		return z.IsZero()
	}
	// A number of package math/big that is zero has memory of its own, or none.
	if n, ok := rv.Addr().Interface().(interface{ Sign() int }); ok {
		return n.Sign() == 0
	}
	return rv.IsZero()
}
