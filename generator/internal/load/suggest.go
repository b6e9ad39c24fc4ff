package load

import (
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// suggestion is the cure for a name that is not one of those there are: the
// one that was most likely meant, or all of them.
func suggestion(name string, names []string, all string) string {
	if near := spec.Suggest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return all + strings.Join(names, ", ")
}
