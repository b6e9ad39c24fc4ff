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
	return (bytes.Contains(data, []byte(`\ufffd`)) || bytes.Contains(data, []byte("\uFFFD"))) && anyInJSON(v, isInvalidUTF8)
}

func isInvalidUTF8(v reflect.Value) bool {
	return v.Kind() == reflect.String && !utf8.ValidString(v.String())
}

// hides reports whether encoding/json, which wrote data for a value, met a
// struct that has fields and shows none: any two of them are {}.
func hides(data []byte, v reflect.Value) bool {
	return bytes.Contains(data, []byte("{}")) && anyInJSON(v, func(v reflect.Value) bool {
		return v.Kind() == reflect.Struct && v.NumField() > 0 && !showsAField(v.Type())
	})
}

func showsAField(t reflect.Type) bool {
	for _, field := range reflect.VisibleFields(t) {
		if field.IsExported() && field.Tag.Get("json") != "-" && !embedsStruct(field) {
			return true
		}
	}
	return false
}

// embedsStruct reports whether a field is there for its own fields.
func embedsStruct(field reflect.StructField) bool {
	inner := field.Type
	if inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	return field.Anonymous && inner.Kind() == reflect.Struct
}

// anyInJSON reports whether something holds for a value or a part of it. It
// walks as encoding/json does, which has written the value, and shows what a
// MarshalText returned as a string. What a MarshalJSON returned is taken as it
// is.
func anyInJSON(v reflect.Value, is func(reflect.Value) bool) bool {
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
		return err == nil && is(reflect.ValueOf(string(text)))
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return anyInJSON(v.Elem(), is)
	case reflect.Slice, reflect.Array:
		return anyItem(v, is)
	case reflect.Map:
		return anyEntry(v, is)
	case reflect.Struct:
		return is(v) || anyField(v, is)
	}
	return is(v)
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

func anyItem(v reflect.Value, is func(reflect.Value) bool) bool {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return false
	}
	for i := range v.Len() {
		if anyInJSON(v.Index(i), is) {
			return true
		}
	}
	return false
}

func anyEntry(v reflect.Value, is func(reflect.Value) bool) bool {
	for entries := v.MapRange(); entries.Next(); {
		key := entries.Key()
		if key.Kind() == reflect.String && is(key) || anyInJSON(key, is) || anyInJSON(entries.Value(), is) {
			return true
		}
	}
	return false
}

func anyField(v reflect.Value, is func(reflect.Value) bool) bool {
	for field, value := range v.Fields() {
		if (field.IsExported() || field.Anonymous) && field.Tag.Get("json") != "-" && anyInJSON(value, is) {
			return true
		}
	}
	return false
}
