package runtime

import (
	"errors"
	"reflect"
)

// Value is a part of whatever JSON can write, as the JSON that it gives: an
// object's properties sorted at every depth, numbers as they are written, a
// time with its zone. A value that JSON cannot write is an error, and so is one
// that holds a string which is not UTF-8, or a struct none of whose fields JSON
// shows. It is for fingerprints: nil is a value, null, and so is "".
func Value(name string, v any) Part {
	at := addressed(v)
	data, err := encodeJSON(at)
	if err == nil && hides(data, reflect.ValueOf(at)) {
		err = errors.New("a struct in it shows JSON none of its fields")
	}
	if err != nil {
		return Part{kind: valueKind, name: name, err: err}
	}
	return canonicalPart(valueKind, name, data)
}

// addressed returns a pointer to a value, of the value's own type.
func addressed(v any) any {
	if v == nil {
		return nil
	}
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	return p.Interface()
}

// JSON is a part of a text that is JSON already, such as a webhook's body. Two
// texts are the same if they differ in white space, in the order of
// properties or in how a string is escaped; 1.0 is not 1. A text that is not
// JSON, or holds two properties of one name in an object, is an error. An
// empty text is missing. It is for fingerprints.
func JSON[T ~[]byte | ~string](name string, v T) Part {
	if len(v) == 0 {
		return Missing(name)
	}
	return canonicalPart(jsonKind, name, []byte(v))
}

func canonicalPart(kind kind, name string, data []byte) Part {
	text, err := canonical(data)
	return Part{kind: kind, name: name, text: string(text), err: err}
}
