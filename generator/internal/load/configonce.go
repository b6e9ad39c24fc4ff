package load

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// twice refuses an entry of a function that is a handler already. One with
// directives and without a key is meant as one handler, in two places.
func (w *wanted) twice(name string, first *annotated) *spec.Error {
	isKey := func(d spec.Directive) bool { return d.Name == "key" || d.YAML }
	moved := moved(first.directives)
	if moved == "" || slices.ContainsFunc(first.directives, isKey) {
		return w.refuse(fmt.Sprintf("%s is a handler already, declared at %s", name, first.declared), "remove one of the two")
	}
	// That it has no key is told here.
	first.directives = append(first.directives, spec.Directive{Name: "key", Pos: first.declared, ArgsPos: first.declared, Unread: true})
	return w.refuse(fmt.Sprintf("%s has directives at %s, too, and a handler is declared in one place", name, first.declared),
		"move them into this entry: "+moved)
}

// moved are directives as an entry has them.
func moved(directives []spec.Directive) string {
	var lines []string
	for _, d := range directives {
		for _, f := range spec.Fields() {
			if f.Name == d.Name {
				f.Example = d.Args
				lines = append(lines, entry(f))
			}
		}
	}
	return strings.Join(lines, ", ")
}
