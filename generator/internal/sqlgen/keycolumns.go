package sqlgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// matchColumns finds for each placeholder of the key the audit column that
// holds its value: by the names, if each column's name is that of a
// placeholder, otherwise in the order in which both are written. It returns
// why not where rows and runs cannot be matched by key.
func matchColumns(h *spec.Handler) ([]matched, string) {
	columns, places := h.Audit.Columns, placeholders(h.Key)
	if len(columns) == 1 && storesKey(h, columns[0], places) {
		return []matched{{column: columns[0], whole: true}}, ""
	}
	if len(columns) != len(places) {
		return nil, fmt.Sprintf("the key has %s and the audit names %s",
			count(len(places), "placeholder"), count(len(columns), "column"))
	}
	if byName := reorder(columns, places); byName != nil {
		columns = byName
	}
	var parts []matched
	for _, p := range h.Key.Parts {
		if p.Text == "" {
			parts = append(parts, matched{part: p})
			continue
		}
		parts = append(parts, match(p, columns[0]))
		columns = columns[1:]
	}
	return parts, ""
}

// placeholders returns the parts that are not literals.
func placeholders(t spec.KeyTemplate) []spec.KeyPart {
	return slices.DeleteFunc(slices.Clone(t.Parts), func(p spec.KeyPart) bool { return p.Text == "" })
}

// storesKey guesses that a column holds the whole key: the handler is given
// the key, and the column is called one, and not after a placeholder.
func storesKey(h *spec.Handler, column string, places []spec.KeyPart) bool {
	given := slices.ContainsFunc(h.Params, func(p spec.Param) bool { return p.Kind == spec.KeyParam })
	return given && (column == "key" || strings.HasSuffix(column, "_key")) && reorder([]string{column}, places) == nil
}

// reorder returns the columns in the order of the placeholders, or nil if
// the names do not say it.
func reorder(columns []string, places []spec.KeyPart) []string {
	if len(columns) != len(places) {
		return nil
	}
	var sorted []string
	for _, p := range places {
		column := columnNamed(p, columns)
		if column == "" || slices.Contains(sorted, column) {
			return nil
		}
		sorted = append(sorted, column)
	}
	return sorted
}

// columnNamed returns the column that is called after a placeholder; behind its
// name may stand a verb, as in email_lower for {event.Email|lower}.
func columnNamed(p spec.KeyPart, columns []string) string {
	called := p.ColumnNames()
	for _, name := range called {
		if slices.Contains(columns, name) {
			return name
		}
	}
	for _, verb := range p.AllVerbs() {
		for _, name := range called {
			if name += "_" + verb; slices.Contains(columns, name) {
				return name
			}
		}
	}
	return ""
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
