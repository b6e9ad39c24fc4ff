package spec

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Funcs returns the names of the generated functions for one row and for many,
// UpsertRecipient and UpsertRecipients, exported as the type is. With several
// dialects each has its own, and its name at their ends.
func (u *Upsert) Funcs(d Dialect, dialects []Dialect) (one, many string) {
	verb, end := "Upsert", ""
	if first, _ := utf8.DecodeRuneInString(u.Type); !unicode.IsUpper(first) {
		verb = "upsert"
	}
	if len(dialects) > 1 {
		end = dialectNames[d]
	}
	return verb + UpperFirst(u.Type) + end, verb + UpperFirst(plural(u.Type)) + end
}

var dialectNames = map[Dialect]string{Postgres: "Postgres", SQLite: "SQLite"}

// plural is that of most nouns.
func plural(name string) string {
	ends := func(ends ...string) bool {
		return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
	}
	switch {
	case ends("s", "x", "z", "ch", "sh"):
		return name + "es"
	case ends("y") && !ends("ay", "ey", "iy", "oy", "uy"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}

// Base returns the unexported stem of the names that the output keeps to itself.
func (u *Upsert) Base() string { return LowerFirst(u.Type) }

// Fixture returns the name of the fixture's file.
func (u *Upsert) Fixture() string {
	h := Handler{Func: u.Type}
	return "upsert_" + h.SnakeBase() + FixtureSuffix
}

// upsertsTogether checks what no upsert can tell alone.
func upsertsTogether(s *Spec, taken map[[2]string]place, errs *Errors) {
	indexes := map[string]*Upsert{}
	for _, file := range s.Files {
		for _, u := range file.Upserts {
			u.freeNames(s.Config.Dialects, taken, errs)
			u.table(s.Config, errs)
			key := u.Table + " " + strings.Join(u.By, ",")
			first, ok := indexes[key]
			if !ok {
				indexes[key] = u
			} else if first.sameNulls() != u.sameNulls() {
				errs.Add(u.Declared, fmt.Sprintf("%s and %s at %s are rows of %s by the same columns, and take NULLs in them otherwise", u.Type, first.Type, first.Declared, u.Table),
					"say nulls same for both, or nulls distinct")
			}
		}
	}
}

// table refuses what no dialect takes.
func (u *Upsert) table(cfg Config, errs *Errors) {
	if u.Table == cfg.Table {
		errs.Add(u.TablePos, u.Table+" is the table of runs", "name a table of your own")
	}
	if strings.Contains(u.Table, ".") && slices.Contains(cfg.Dialects, SQLite) {
		errs.Add(u.TablePos, "SQLite has no schemas, and the table is "+u.Table, "name it without, or make the dialect postgres")
	}
}

// sameNulls reports whether the unique index takes NULLs for equal.
func (u *Upsert) sameNulls() bool { return u.Nulls == NullsSame && u.NullableKey() }

// place is what has a name, and where.
type place struct {
	name string
	at   Pos
}

// freeNames checks the names that the output declares, and that of the fixture.
func (u *Upsert) freeNames(dialects []Dialect, taken map[[2]string]place, errs *Errors) {
	pkg := u.File.Package
	var names []string
	for _, d := range dialects {
		one, many := u.Funcs(d, dialects)
		names = append(names, one, many)
	}
	for _, name := range names {
		pkg.free(name, u.Type, u.Pos, errs)
	}
	for _, name := range append(names, u.Fixture()) {
		key := [2]string{pkg.Dir, name}
		if first, ok := taken[key]; ok {
			errs.Add(u.Declared, fmt.Sprintf("%s would be generated for both %s and %s at %s", name, u.Type, first.name, first.at), "rename one of the two")
			return
		}
		taken[key] = place{u.Type, u.Declared}
	}
}

// free reports a name that the package or a file of it has already.
func (p *Package) free(name, of string, pos Pos, errs *Errors) {
	at, ok := p.Names[name]
	verb := "declared"
	if !ok {
		at, ok = p.Imported[name]
		verb = "imported"
	}
	if ok {
		errs.Add(pos, fmt.Sprintf("%s, which is generated for %s, is %s at %s", name, of, verb, at), renameCure(at))
	}
}
