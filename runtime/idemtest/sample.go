package idemtest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// sample returns a value of R that tells the n-th result from the others and
// from the zero value, as far as R has room for it and survives JSON; the
// zero value otherwise.
func sample[R any](n int) R {
	var v R
	fill(reflect.ValueOf(&v).Elem(), n, 0)
	if !survives(&v) {
		var zero R
		return zero
	}
	return v
}

// maxDepth ends types that contain themselves.
const maxDepth = 4

// fill sets what can be set of v, by the number of the sample.
func fill(v reflect.Value, n, depth int) {
	if depth > maxDepth {
		return
	}
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = time.Date(2001, 2, 3, 4, 5, n, 0, time.UTC)
		return
	case *json.RawMessage:
		*p = fmt.Appendf(nil, `{"sample":%d}`, n)
		return
	}
	fillKind(v, n, depth)
	// A type that writes itself may not take what was put into it.
	if marshals(v.Addr().Interface()) && !survives(v.Addr().Interface()) {
		v.SetZero()
	}
}

func fillKind(v reflect.Value, n, depth int) {
	small := n%100 + 1 // fits any integer
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(small))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(small))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(n) + 0.5)
	case reflect.String:
		v.SetString(fmt.Sprintf("sample %d", n))
	default:
		fillComposite(v, n, depth+1)
	}
}

func fillComposite(v reflect.Value, n, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n, depth)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n, depth)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n, depth)
		}
	case reflect.Map:
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n, depth)
		fill(elem, n, depth)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, elem)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n, depth)
			}
		}
	}
}

func marshals(p any) bool {
	switch p.(type) {
	case json.Marshaler, json.Unmarshaler, encoding.TextMarshaler, encoding.TextUnmarshaler:
		return true
	}
	return false
}

// survives reports whether what p points to comes back from JSON as the bytes
// that went in. A type may panic on a value that its package never makes.
func survives(p any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	before, err := json.Marshal(p)
	if err != nil {
		return false
	}
	back := reflect.New(reflect.TypeOf(p).Elem())
	if err := json.Unmarshal(before, back.Interface()); err != nil {
		return false
	}
	after, err := json.Marshal(back.Interface())
	return err == nil && bytes.Equal(before, after)
}
