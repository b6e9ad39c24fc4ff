package gogen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"strconv"
)

// scope is the set of names that mean something where code is written. The
// predeclared types and constants always do.
type scope struct {
	taken map[string]bool // needed here: nobody may shadow them
	shy   map[string]bool // not needed here, but our own names do not shadow them either
}

func newScope(taken ...string) *scope {
	s := &scope{taken: map[string]bool{}, shy: map[string]bool{}}
	s.reserve(taken...)
	return s
}

func (s *scope) reserve(names ...string) {
	for _, name := range names {
		s.taken[name] = true
	}
}

func (s *scope) avoid(names ...string) {
	for _, name := range names {
		s.shy[name] = true
	}
}

func (s *scope) clone() *scope {
	return &scope{taken: maps.Clone(s.taken), shy: maps.Clone(s.shy)}
}

// keep takes a name that the user chose, if code below does not need what it
// would shadow.
func (s *scope) keep(name string) bool {
	if s.taken[name] || needed(name) || token.IsKeyword(name) {
		return false
	}
	s.reserve(name)
	return true
}

// take takes the first name that is free, for a thing of ours. When none is,
// the last one gets a number.
func (s *scope) take(names ...string) string {
	for _, name := range names {
		if s.free(name) {
			s.reserve(name)
			return name
		}
	}
	last := names[len(names)-1]
	for n := 2; ; n++ {
		if name := last + strconv.Itoa(n); s.free(name) {
			s.reserve(name)
			return name
		}
	}
}

func (s *scope) free(name string) bool {
	return !s.taken[name] && !s.shy[name] && token.IsIdentifier(name) && name != "_" && types.Universe.Lookup(name) == nil
}

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
