package gogen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// scope is a set of names inside another one. What the user named keeps its
// name where it can; what is ours takes one that is free, here and in all
// that is around:
//
//	universe > a package's own names > those of all outputs > imports of a file
//	universe > imports of a file > variables of a handler > of one function
//
// There are two ways in, because a variable may hide what the package
// declares: a function called run is no reason to call the run something
// else. What a function needs of the package is among its own names.
type scope struct {
	outer *scope
	names map[string]bool
}

var universe = (*scope)(nil).inner(types.Universe.Names()...)

// inner returns a scope inside this one.
func (s *scope) inner(names ...string) *scope {
	in := &scope{outer: s, names: map[string]bool{}}
	in.reserve(names...)
	return in
}

func (s *scope) reserve(names ...string) {
	for _, name := range names {
		s.names[name] = true
	}
}

// keep takes a name that the user chose, unless it would hide something that
// is needed.
func (s *scope) keep(name string) bool {
	if s.names[name] || needed(name) || !variableName(name) {
		return false
	}
	s.reserve(name)
	return true
}

// take takes the first name that is free, for a thing of ours. When none is,
// the last one gets a number.
func (s *scope) take(names ...string) string {
	i := slices.IndexFunc(names, s.free)
	name := ""
	if i >= 0 {
		name = names[i]
	} else {
		name = numbered(names[len(names)-1], s.free)
	}
	s.reserve(name)
	return name
}

func (s *scope) free(name string) bool {
	for at := s; at != nil; at = at.outer {
		if at.names[name] {
			return false
		}
	}
	return variableName(name)
}

// numbered returns a name that is free, with a number if it has to be.
func numbered(name string, free func(string) bool) string {
	unique := name
	for n := 2; !free(unique); n++ {
		unique = name + strconv.Itoa(n)
	}
	return unique
}

// variableName reports whether a name can be declared and used.
func variableName(name string) bool { return token.IsIdentifier(name) && name != "_" }

// needed reports whether a predeclared name is one that the output may use:
// the types and constants, nil and panic. Calls of the other functions do not
// occur in it.
func needed(name string) bool {
	obj := types.Universe.Lookup(name)
	if _, ok := obj.(*types.Builtin); ok {
		return name == "panic"
	}
	return obj != nil
}

// identifiers returns the names that a type as Go text looks up where it
// stands: types and packages, but neither fields nor the parameters of
// functions.
func identifiers(text string) []string {
	expr, err := parser.ParseExpr(text)
	if err != nil {
		return nil // not from a type that compiles
	}
	var names []string
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			ast.Inspect(n.Type, visit)
			return false
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			names = append(names, n.Name)
		}
		return true
	}
	ast.Inspect(expr, visit)
	return names
}
