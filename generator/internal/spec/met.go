package spec

import "go/types"

// met are the types that a walk has come by, each under a key: one that is met
// under another may be wrong in another way.
type met[K comparable] []struct {
	t   types.Type
	key K
}

// maxInstances is how many instances of one generic type are looked at: of one
// that has itself in it with other arguments there is no end. It does not
// compile, which is told elsewhere.
const maxInstances = 50

// again reports whether there is nothing new in a type, and takes it in. It
// cuts recursion, which passes through the name of a type.
func (m *met[K]) again(t types.Type, key K) bool {
	if _, ok := types.Unalias(t).(*types.Named); !ok {
		return false
	}
	instances := 0
	for _, s := range *m {
		if s.key == key && types.Identical(s.t, t) {
			return true
		}
		if sameOrigin(s.t, t) {
			instances++
		}
	}
	*m = append(*m, struct {
		t   types.Type
		key K
	}{t, key})
	return instances > maxInstances
}

// sameOrigin reports whether two types are instances of one generic type.
func sameOrigin(a, b types.Type) bool {
	x, ok := types.Unalias(a).(*types.Named)
	y, also := types.Unalias(b).(*types.Named)
	return ok && also && x.TypeArgs().Len() > 0 && x.Origin() == y.Origin()
}
