package load

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// unexpected returns a judge that lets pass what goes away once the output is
// there: errors about a name that it declares. The names are taken
// generously, since Check looks again with the output in place.
func (l *loader) unexpected() func(types.Error) *spec.Error {
	names := map[string]bool{}
	expected := slices.Clone(l.foreigners)
	for _, p := range l.graph.source {
		expected = append(expected, p.handlers...)
	}
	for _, a := range expected {
		for _, name := range a.outputNames() {
			names[name] = true
		}
	}
	return func(err types.Error) *spec.Error {
		missing := ""
		if m := missingMethod.FindStringSubmatch(err.Msg); m != nil {
			missing = m[1]
		} else if strings.Contains(err.Msg, "undefined") {
			missing = l.files.word(err.Pos)
		}
		if names[missing] {
			return nil
		}
		return l.files.real(err)
	}
}

// missingMethod is how the type-checker says why a type does not implement
// an interface.
var missingMethod = regexp.MustCompile(`\(missing method ([\pL_][\pL_\p{Nd}]*)\)`)

// outputNames returns the names that a handler's output may declare.
func (a *annotated) outputNames() []string {
	if a.typ != nil {
		return upsertNames(a.typ.Name.Name)
	}
	h := spec.Handler{Func: a.decl.Name.Name}
	if a.decl.Recv != nil && len(a.decl.Recv.List) == 1 {
		h.Recv = &spec.Recv{Type: baseName(a.decl.Recv.List[0].Type)}
	}
	return []string{h.Wrapper(), h.KeyFunc(), h.Base() + "Spec", h.Base() + "OnceWith", h.Batch(), h.Redrive(), spec.SpecsFunc}
}

// word returns the identifier at a place.
func (fs *files) word(p token.Pos) string {
	at := fs.fset.PositionFor(p, false)
	f := fs.known(at.Filename)
	if f == nil {
		return ""
	}
	return string(identifier.Find(f.data[at.Offset:]))
}

var identifier = regexp.MustCompile(`^[\pL_][\pL_\p{Nd}]*`)

// upsertNames returns the names that the output for a type may declare, whatever
// the dialects are.
func upsertNames(typ string) []string {
	u := spec.Upsert{Type: typ}
	names := []string{u.Base() + "Upsert"}
	for _, dialects := range [][]spec.Dialect{{spec.Postgres}, {spec.Postgres, spec.SQLite}} {
		for _, d := range dialects {
			one, many := u.Funcs(d, dialects)
			names = append(names, one, many)
		}
	}
	return names
}
