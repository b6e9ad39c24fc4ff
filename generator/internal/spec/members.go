package spec

import (
	"go/types"
	"slices"
)

// members returns the names that can be selected, sorted, and those that
// another package keeps to itself.
func (w *walker) members() (names, hidden []string) {
	pkg := w.b.src.Func.Pkg()
	add := func(obj types.Object) {
		if obj.Exported() || obj.Pkg() == pkg {
			names = append(names, obj.Name())
		} else {
			hidden = append(hidden, obj.Name())
		}
	}
	t := Deref(w.typ)
	set := types.NewMethodSet(t)
	if !types.IsInterface(t) {
		set = types.NewMethodSet(types.NewPointer(t))
	}
	for i := range set.Len() {
		add(set.At(i).Obj())
	}
	eachField(t, nil, add)
	slices.Sort(names)
	return slices.Compact(names), hidden
}

// eachField visits the fields of a struct and those that its embedded
// structs promote.
func eachField(t types.Type, above []types.Type, visit func(types.Object)) {
	s, ok := t.Underlying().(*types.Struct)
	if !ok || slices.ContainsFunc(above, func(outer types.Type) bool { return types.Identical(outer, t) }) {
		return
	}
	for i := range s.NumFields() {
		visit(s.Field(i))
		if s.Field(i).Embedded() {
			eachField(Deref(s.Field(i).Type()), append(above, t), visit)
		}
	}
}
