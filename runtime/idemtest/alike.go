package idemtest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

// wantAlike checks that a replay is the result of the first delivery, also
// where JSON, which it went through, keeps nothing.
func wantAlike[R any](t testing.TB, replay, first R) {
	t.Helper()
	wantSame(t, "second delivery", replay, first)
	if path := difference("the result", reflect.ValueOf(&replay).Elem(), reflect.ValueOf(&first).Elem()); path != "" {
		t.Fatalf("second delivery: %s is not what the first delivery got: results are stored as JSON, so a duplicate misses fields that are unexported or tagged \"-\", and gets other types in an interface", path)
	}
}

// maxPath ends the walk through a value that refers to itself.
const maxPath = 1000

// difference names the first place where two values differ, or nothing.
func difference(path string, a, b reflect.Value) string {
	if a.Kind() != b.Kind() || !a.IsValid() {
		return differs(path, a.Kind() != b.Kind())
	}
	if a.Type() != b.Type() {
		return path
	}
	if hasOwnJSON(a.Type()) || len(path) > maxPath {
		return "" // how such a one is stored is its own affair, and its bytes are the same
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		return difference(path, a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if at := difference(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i)); at != "" {
				return at
			}
		}
		return ""
	case reflect.Slice, reflect.Array:
		return differentElements(path, a, b)
	case reflect.Map:
		return differentEntries(path, a, b)
	case reflect.Func:
		return differs(path, a.IsNil() != b.IsNil())
	default:
		return differs(path, !a.Equal(b))
	}
}

func differentElements(path string, a, b reflect.Value) string {
	if a.Len() != b.Len() {
		return path
	}
	for i := range a.Len() {
		if at := difference(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); at != "" {
			return at
		}
	}
	return ""
}

func differentEntries(path string, a, b reflect.Value) string {
	if a.Len() != b.Len() {
		return path
	}
	for _, key := range a.MapKeys() {
		if at := difference(fmt.Sprintf("%s[%v]", path, key), a.MapIndex(key), b.MapIndex(key)); at != "" {
			return at
		}
	}
	return ""
}

func differs(path string, yes bool) string {
	if yes {
		return path
	}
	return ""
}

// hasOwnJSON reports whether values of a type, or pointers to them, make their
// own JSON.
func hasOwnJSON(t reflect.Type) bool {
	for _, marshaler := range []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()} {
		if t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
			return true
		}
	}
	return false
}
