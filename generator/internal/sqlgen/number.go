package sqlgen

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// next returns the number of a directory's next migration: one above the
// highest there, a timestamp included, in the same width. Numbers of locked
// files that are missing count too, so that none is used twice. Where names
// are all that the order is known by, after 9999 there is no next one.
func (m *migrator) next(dir string, names []string) string {
	for _, e := range m.lock.entries {
		if path.Dir(e.path) == dir {
			names = append(names, path.Base(e.path))
		}
	}
	tool := m.cfg.Migrations.Tool
	highest, width, last := uint64(0), tools[tool].digits, ""
	for _, name := range names {
		n, w, ok := numbered(name)
		if ok && n >= highest {
			highest, width = n, w
		}
		if ok {
			last = max(last, name)
		}
	}
	number := fmt.Sprintf("%0*d", width, highest+1)
	if tools[tool].byName && last > number {
		m.errs.Add(spec.Pos{File: path.Join(dir, last), Line: 1, Col: 1},
			fmt.Sprintf("the next migration, %s, comes before it by its name, and migrations.tool %s goes by names", number, tool),
			"name a new directory in migrations.dir, or, if what runs them allows it, put zeros before the shorter numbers")
	}
	return number
}

// numbered reads the number that a migration's name begins with, and its
// width. What is too long for a number no tool takes for one.
func numbered(name string) (n uint64, width int, ok bool) {
	ext := path.Ext(name)
	rest := strings.TrimLeft(name, "0123456789")
	width = len(name) - len(rest)
	if width == 0 || (ext != ".sql" && ext != ".go") {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(name[:width], 10, 63)
	return n, width, err == nil
}
