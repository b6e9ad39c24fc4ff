package spec

import "go/types"

// The results of the methods that are looked for.
var (
	bytesAndError = types.NewTuple(
		types.NewParam(0, nil, "", types.NewSlice(types.Typ[types.Byte])),
		types.NewParam(0, nil, "", types.Universe.Lookup("error").Type()))
	justString = types.NewTuple(types.NewParam(0, nil, "", types.Typ[types.String]))
)

// method finds an exported method without parameters that has exactly these
// results, and says through which embedded fields it is reached.
func method(t types.Type, addressable bool, name string, results *types.Tuple) (fn *types.Func, index []int) {
	obj, index, _ := types.LookupFieldOrMethod(t, addressable, nil, name)
	fn, ok := obj.(*types.Func)
	if !ok || fn.Signature().Params().Len() > 0 || !types.Identical(fn.Signature().Results(), results) {
		return nil, nil
	}
	return fn, index
}

func hasMethod(t types.Type, addressable bool, name string, results *types.Tuple) bool {
	fn, _ := method(t, addressable, name, results)
	return fn != nil
}

// embedded returns the embedded fields that a selector passes through.
func embedded(t types.Type, index []int) []*types.Var {
	var fields []*types.Var
	for _, i := range index[:len(index)-1] {
		field := Deref(t).Underlying().(*types.Struct).Field(i)
		fields = append(fields, field)
		t = field.Type()
	}
	return fields
}

// nilable reports whether a selector on a value of the type may panic.
func nilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}
