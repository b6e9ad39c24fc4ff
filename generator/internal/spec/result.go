package spec

import (
	"cmp"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// storable reports a result that encoding/json cannot write, or cannot read
// back.
func (b *builder) storable(v *types.Var) {
	j := &jsonCheck{name: b.typeName}
	t := v.Type()
	if types.IsInterface(t) && t.Underlying().(*types.Interface).NumMethods() > 0 {
		b.errs.Add(b.src.At(v.Pos()), fmt.Sprintf("the result of %s is an interface, %s, and JSON cannot tell which type to read back",
			b.display(), b.typeName(t)), "return a concrete type")
		return
	}
	if keepsNothing(Deref(t), true) {
		b.errs.Add(b.src.At(v.Pos()), fmt.Sprintf("the result of %s is stored as JSON, which keeps no field of %s: duplicates would get an empty one",
			b.display(), b.typeName(Deref(t))), "export its fields, or give it a MarshalJSON and an UnmarshalJSON method")
		return
	}
	if fault := j.check(t, true, b.typeName(t)); fault != "" {
		b.errs.Add(b.src.At(v.Pos()), fmt.Sprintf("the result of %s cannot be stored as JSON: %s", b.display(), fault),
			"return another type, or leave the field out with the tag `json:\"-\"`")
	}
}

// keepsNothing reports whether a type is a struct with fields, none of which
// reaches JSON.
func keepsNothing(t types.Type, addressable bool) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok || marshals(t, addressable) {
		return false
	}
	for i := range s.NumFields() {
		if reachesJSON(s, i) {
			return false
		}
	}
	return s.NumFields() > 0
}

// jsonCheck walks a type as encoding/json does.
type jsonCheck struct {
	name    func(types.Type) string
	writing bool      // nobody reads it back
	met     met[bool] // with an address, or without
}

// check returns what JSON cannot hold in a value of type t, or nothing. The
// path says where it lies. Whether the value has an address matters: without
// one, encoding/json does not see methods with pointer receivers.
func (j *jsonCheck) check(t types.Type, addressable bool, path string) string {
	if j.met.again(t, addressable) {
		return ""
	}
	for _, own := range ownJSON {
		if fn, index := method(t, addressable, own.write, bytesAndError); fn != nil {
			return cmp.Or(own.partial(t, index, path), own.oneWay(t, path, j.writing))
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 || u.Kind() == types.UnsafePointer {
			return fmt.Sprintf("%s is a %s", path, u)
		}
	case *types.Chan:
		return path + " is a channel"
	case *types.Signature:
		return path + " is a func"
	case *types.Pointer:
		if !j.writing && keepsNothing(u.Elem(), true) {
			return "" // it is nil as a rule, like the user of an URL, or its reader knows
		}
		return j.check(u.Elem(), true, path)
	case *types.Slice:
		return j.check(u.Elem(), true, path+"[]")
	case *types.Array:
		return j.check(u.Elem(), addressable, path+"[]")
	case *types.Map:
		return j.checkMap(u, path)
	case *types.Struct:
		return j.checkStruct(t, u, addressable, path)
	}
	return ""
}

// ownJSON are the pairs of methods that encoding/json leaves a value to, in
// the order in which it looks for them.
var ownJSON = []ownEncoding{{"MarshalJSON", "UnmarshalJSON"}, {"MarshalText", "UnmarshalText"}}

type ownEncoding struct{ write, read string }

// partial says which embedded field's method it is that leaves the others out.
func (own ownEncoding) partial(t types.Type, index []int, path string) string {
	for _, f := range embedded(t, index) {
		if Deref(t).Underlying().(*types.Struct).NumFields() > 1 {
			return fmt.Sprintf("%s has the %s of its field %s, which leaves the other fields out", path, own.write, f.Name())
		}
		t = f.Type()
	}
	return ""
}

// oneWay says that nothing reads what the method writes. An interface may hold
// what comes back.
func (own ownEncoding) oneWay(t types.Type, path string, writing bool) string {
	if writing || types.IsInterface(t) {
		return ""
	}
	if obj, _, _ := types.LookupFieldOrMethod(t, true, nil, own.read); obj == nil {
		return fmt.Sprintf("%s has %s and no %s to read it back", path, own.write, own.read)
	}
	return ""
}

func (j *jsonCheck) checkMap(m *types.Map, path string) string {
	key, ok := m.Key().Underlying().(*types.Basic)
	if !hasMethod(m.Key(), false, "MarshalText", bytesAndError) && (!ok || key.Info()&(types.IsString|types.IsInteger) == 0) {
		return fmt.Sprintf("%s is a map whose keys are of type %s", path, j.name(m.Key()))
	}
	return j.check(m.Elem(), false, path+"[]")
}

func (j *jsonCheck) checkStruct(t types.Type, s *types.Struct, addressable bool, path string) string {
	if keepsNothing(t, addressable) {
		return fmt.Sprintf("no field of %s reaches JSON: %s", j.name(t), path)
	}
	if name := twoOfOneName(s); name != "" {
		return fmt.Sprintf("two fields of %s are called %s in JSON, which leaves one out: %s", j.name(t), name, path)
	}
	for i := range s.NumFields() {
		field := s.Field(i)
		if !reachesJSON(s, i) {
			continue
		}
		if fault := j.check(field.Type(), addressable, path+"."+field.Name()); fault != "" {
			return fault
		}
	}
	return ""
}

// twoOfOneName returns a name that two fields of a struct have in JSON, those of
// embedded structs among them.
func twoOfOneName(s *types.Struct) string {
	named := map[string]bool{}
	for _, name := range jsonNames(s, nil) {
		if named[name] {
			return name
		}
		named[name] = true
	}
	return ""
}

// jsonNames lists the names that the fields of a struct have in JSON.
func jsonNames(s *types.Struct, within []*types.Struct) (names []string) {
	for i := range s.NumFields() {
		field := s.Field(i)
		if !reachesJSON(s, i) {
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		inner, isStruct := Deref(field.Type()).Underlying().(*types.Struct)
		switch {
		case name != "":
			names = append(names, name)
		case !field.Embedded() || !isStruct:
			names = append(names, field.Name())
		case !slices.Contains(within, inner):
			names = append(names, jsonNames(inner, append(within, inner))...)
		}
	}
	return names
}

// reachesJSON: exported fields do, and those of embedded structs, whatever
// the struct's own name; but not what a tag leaves out.
func reachesJSON(s *types.Struct, i int) bool {
	field := s.Field(i)
	if reflect.StructTag(s.Tag(i)).Get("json") == "-" {
		return false
	}
	if field.Exported() {
		return true
	}
	t := field.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	_, isStruct := t.Underlying().(*types.Struct)
	return field.Embedded() && isStruct
}

// marshals reports whether encoding/json leaves a value to its own methods.
func marshals(t types.Type, addressable bool) bool {
	return hasMethod(t, addressable, "MarshalJSON", bytesAndError) || hasMethod(t, addressable, "MarshalText", bytesAndError)
}
