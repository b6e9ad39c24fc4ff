package spec

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// unwritable returns what JSON cannot hold in a value that is only written, or
// nothing.
func (b *builder) unwritable(t types.Type, path string) string {
	j := &jsonCheck{name: b.typeName, writing: true}
	return j.check(t, true, path)
}

// within looks through a value that is compared whole for what differs on
// every delivery.
type within struct {
	*walker
	met met[string] // by name, since names that differ may be unfit in another way
}

// fitWithin has nothing to look for in a value that is unfit as a whole.
func (w *walker) fitWithin() bool {
	in := &within{walker: w}
	return w.unfit != "" || in.look(w.typ, w.part.path)
}

// look walks a type as encoding/json does.
func (in *within) look(t types.Type, path []string) bool {
	if what := in.b.unfitType(t); what != "" {
		return in.report(path, what)
	}
	if marshals(t, false) || in.met.again(t, path[len(path)-1]) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return in.look(u.Elem(), path)
	case *types.Slice:
		return in.look(u.Elem(), path)
	case *types.Array:
		return in.look(u.Elem(), path)
	case *types.Map:
		return in.look(u.Elem(), path)
	case *types.Struct:
		return in.fields(t, u, path)
	}
	return true
}

func (in *within) fields(t types.Type, s *types.Struct, path []string) bool {
	fit := true
	for i := range s.NumFields() {
		if f := s.Field(i); reachesJSON(s, i) {
			fit = in.field(t, f, path) && fit
		}
	}
	return fit
}

// field looks at one field. The names of embedded structs are no part of the
// path, as those of their fields stand for them.
func (in *within) field(owner types.Type, f *types.Var, path []string) bool {
	if _, ok := Deref(f.Type()).Underlying().(*types.Struct); ok && f.Embedded() {
		return in.look(f.Type(), path)
	}
	path = append(slices.Clone(path), f.Name())
	if what := cmp.Or(in.b.unfitField(owner, f.Name()), unfitName(path)); what != "" {
		return in.report(path, what)
	}
	return in.look(f.Type(), path)
}

func (in *within) report(path []string, what string) bool {
	name := strings.Join(path, ".")
	return in.fits(fmt.Sprintf("%s in %s", name, in.part.written()), name, what)
}
