package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Dialects returns the names of the databases that there is SQL for, as
// idemgen.yaml has them.
func Dialects() []string { return spec.DialectNames() }

// parseDialects reads names.
func parseDialects(names []string) ([]spec.Dialect, error) {
	var dialects []spec.Dialect
	for _, name := range names {
		switch near := spec.Suggest(name, Dialects()); {
		case slices.Contains(dialects, spec.Dialect(name)):
			return nil, fmt.Errorf("the dialect %s is named twice; name it once", name)
		case slices.Contains(Dialects(), name):
			dialects = append(dialects, spec.Dialect(name))
		case near != "":
			return nil, fmt.Errorf("unknown dialect %q; did you mean %s?", name, near)
		default:
			return nil, fmt.Errorf("unknown dialect %q; the dialects are %s", name, strings.Join(Dialects(), " and "))
		}
	}
	return dialects, nil
}
