package gogen_test

import (
	"fmt"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// makerFile is a file with handlers.
type makerFile struct {
	*maker
	imports map[string]string // names by path, with their dot
	lines   map[string]string // of the imports, by path
	names   map[string]bool   // of the imports
	body    strings.Builder
}

// from returns the name of a type of another package, which the file then
// imports.
func (f *makerFile) from(importPath, pkg, typ string) string {
	if before, ok := f.imports[importPath]; ok {
		return before + typ
	}
	if strings.HasPrefix(importPath, shopPath) && f.dot() {
		f.imports[importPath] = ""
		f.lines[importPath] = fmt.Sprintf("\nimport . %q\n", importPath)
		return typ
	}
	name := pkg
	for f.names[name] || f.taken[name] || types.Universe.Lookup(name) != nil {
		name = f.pick(f.called)
	}
	f.imports[importPath], f.names[name] = name+".", true
	f.lines[importPath] = fmt.Sprintf("\nimport %s %q\n", name, importPath)
	if name == pkg {
		f.lines[importPath] = fmt.Sprintf("\nimport %q\n", importPath)
	}
	return name + "." + typ
}

// dot reports whether the file imports all names of the next package, once at
// most and where they are free.
func (f *makerFile) dot() bool {
	if f.IntN(10) > 0 {
		return false
	}
	for _, name := range shopNames {
		if f.names[name] || f.taken[name] {
			return false
		}
	}
	for _, name := range shopNames {
		f.names[name] = true
	}
	return true
}

// shop names a type of a package of others.
func (f *makerFile) shop(typ string) string {
	p := shopPackages[f.IntN(len(shopPackages))]
	return f.from(path.Join(shopPath, p.dir), p.name, typ)
}

func (f *makerFile) importLines() string {
	var b strings.Builder
	for _, importPath := range slices.Sorted(maps.Keys(f.lines)) {
		b.WriteString(f.lines[importPath])
	}
	return b.String()
}

// makerParam is a parameter with what a placeholder can take of it.
type makerParam struct {
	typ     string
	paths   []string // for a key, behind the parameter's name
	prints  string   // for a fingerprint; "-" if there is nothing
	version string   // for an order; "-" if it is the parameter itself
}

func (f *makerFile) param() makerParam {
	own := f.pick(f.types)
	switch f.IntN(16) {
	case 0, 1:
		return makerParam{"string", []string{"", "|trim|hash"}, "|json", ""}
	case 2:
		return makerParam{"int", []string{""}, "", "-"}
	case 3:
		return makerParam{"[16]byte", []string{"", "|hash"}, "", ""}
	case 4:
		return makerParam{own, []string{".ID", "." + f.fields[own] + "?"}, "", ""}
	case 5:
		return makerParam{"*" + own, []string{".ID", ".ID?", "." + f.fields[own] + "?|hash"}, ".ID", ""}
	case 6:
		return makerParam{f.shop("Event"), []string{".ID", ".At|date", ".Day?|unix", ".Sub.N"}, ".Sub", ".Sub.N"}
	case 7:
		return makerParam{"*" + f.shop("Event"), []string{".ID|lower", ".Day?|hour", ".GetSub.N", ".At|unix"}, ".GetSub", ".GetSub.N"}
	case 8:
		return makerParam{f.shop("ID"), []string{"", "?|lower"}, "", ""}
	case 9:
		return makerParam{f.shop("Day"), []string{"|date"}, "|hour", "-"}
	case 10:
		return makerParam{f.shop("Box[" + f.shop("Event") + "]"), []string{".ID", ".Of.ID", ".Of.Sub.N"}, ".Of", ""}
	case 11:
		return makerParam{f.shop("Source"), []string{".ID"}, ".ID", ""}
	case 12:
		return makerParam{"func(x " + f.from("context", "context", "Context") + ", n *" + own + ") (ok error)", nil, "-", ""}
	case 13:
		return makerParam{f.from(spec.RuntimePath, "runtime", "Key"), nil, "-", ""}
	case 14:
		return makerParam{f.from(spec.RuntimePath, "runtime", "Delivery"), nil, "-", ""}
	}
	return makerParam{"map[string]struct{ A, B " + f.shop("ID") + " }", nil, "", ""}
}

// handler writes a handler. A loop without an end is a body that uses no name.
func (f *makerFile) handler(name string) {
	taken := map[string]bool{}
	recv := ""
	if method, ok := strings.CutPrefix(name, "."); ok {
		name = method
		recv = "(" + f.local(taken, true) + " " + f.pick([]string{"", "*"}) + f.pick(f.types) + ") "
	}
	params := []string{f.local(taken, false) + " " + f.from("context", "context", "Context")}
	key, print := f.params(taken, &params)
	result := "error"
	if f.IntN(3) > 0 {
		typ := f.result()
		if result = "(" + typ + ", error)"; f.IntN(3) == 0 {
			result = "(" + f.local(taken, false) + " " + typ + ", " + f.local(taken, false) + " error)"
		}
	}
	f.handlers++
	fmt.Fprintf(&f.body, "\n//idem:key h%d:%s\n%sfunc %s%s(%s) %s { for {} }\n",
		f.handlers, key, print, recv, name, strings.Join(params, ", "), result)
}

func (f *makerFile) result() string {
	switch f.IntN(5) {
	case 0:
		return f.shop("Event")
	case 1:
		return "[]" + f.shop("ID")
	case 2:
		return f.pick([]string{"*", "", "[]"}) + f.pick(f.types)
	case 3:
		return "struct{ A, B int }"
	}
	return "string"
}

// params adds parameters, and returns a key and the lines of a fingerprint and an
// order.
func (f *makerFile) params(taken map[string]bool, list *[]string) (key, print string) {
	var keys []string
	order := ""
	for n := 1 + f.IntN(5); len(keys) == 0 || n > 0; n-- {
		last := n == 1 && len(keys) > 0 && f.IntN(2) == 0 // and variadic
		p, name := makerParam{}, f.local(taken, false)
		if last {
			p.typ = "..." + f.shop("Event")
		} else {
			p = f.param()
		}
		*list = append(*list, name+" "+p.typ)
		switch {
		case name == "_":
		case p.paths != nil && f.IntN(3) > 0:
			keys = append(keys, "{"+name+f.pick(p.paths)+"}")
		case order == "" && len(keys) > 1 && p.version != "" && f.IntN(2) == 0:
			order = "//idem:order " + keys[0] + " at {" + name + strings.TrimPrefix(p.version, "-") + "}\n"
		case p.prints != "-" && f.IntN(2) == 0:
			print += " {" + name + p.prints + "}"
		}
		if last {
			break
		}
	}
	if print != "" {
		print = "//idem:fingerprint" + print + "\n"
	}
	return strings.Join(keys, ":"), print + order
}

// local takes a name inside a function.
func (f *makerFile) local(taken map[string]bool, unnamed bool) string {
	for {
		name := f.pick(f.locals)
		switch {
		case f.IntN(8) == 0:
			return "_"
		case unnamed && f.IntN(4) == 0:
			return ""
		case !taken[name]:
			taken[name] = true
			return name
		}
	}
}
