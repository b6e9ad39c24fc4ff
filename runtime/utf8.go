package runtime

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"unicode/utf8"
)

// replacedInvalidUTF8 reports whether encoding/json, which wrote data for a
// value, put U+FFFD in the place of bytes that are not UTF-8: other bytes
// would give the same text, and what is read back is another string. A value
// may have a U+FFFD of its own, too, so that only the value itself can tell.
func replacedInvalidUTF8(data []byte, v reflect.Value) bool {
	return (bytes.Contains(data, []byte(`\ufffd`)) || bytes.Contains(data, []byte("\uFFFD"))) && hasInvalidUTF8(v)
}

// hasInvalidUTF8 walks a value as encoding/json does, which has written it.
// What its own MarshalJSON returned is taken as it is.
func hasInvalidUTF8(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return false
		}
	}
	if _, ok := methods[json.Marshaler](v); ok {
		return false
	}
	if own, ok := methods[encoding.TextMarshaler](v); ok {
		text, err := own.MarshalText()
		return err == nil && !utf8.Valid(text)
	}
	switch v.Kind() {
	case reflect.String:
		return !utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return hasInvalidUTF8(v.Elem())
	case reflect.Slice, reflect.Array:
		return itemsHaveInvalidUTF8(v)
	case reflect.Map:
		return mapHasInvalidUTF8(v)
	case reflect.Struct:
		return fieldsHaveInvalidUTF8(v)
	}
	return false
}

// methods returns a value as an interface that it implements, or its address.
func methods[I any](v reflect.Value) (I, bool) {
	if !v.CanInterface() {
		var none I
		return none, false
	}
	if own, ok := reflect.TypeAssert[I](v); ok || !v.CanAddr() {
		return own, ok
	}
	return reflect.TypeAssert[I](v.Addr())
}

func itemsHaveInvalidUTF8(v reflect.Value) bool {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return false
	}
	for i := range v.Len() {
		if hasInvalidUTF8(v.Index(i)) {
			return true
		}
	}
	return false
}

func mapHasInvalidUTF8(v reflect.Value) bool {
	for entries := v.MapRange(); entries.Next(); {
		key := entries.Key()
		if key.Kind() == reflect.String && !utf8.ValidString(key.String()) || hasInvalidUTF8(key) || hasInvalidUTF8(entries.Value()) {
			return true
		}
	}
	return false
}

func fieldsHaveInvalidUTF8(v reflect.Value) bool {
	for field, value := range v.Fields() {
		if (field.IsExported() || field.Anonymous) && field.Tag.Get("json") != "-" && hasInvalidUTF8(value) {
			return true
		}
	}
	return false
}
