package gogen

import (
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// place is a variable or field that can be set.
type place struct {
	expr     string
	typ      types.Type
	pointers []place // on the way, to be set first
}

// find returns the place that a placeholder reads. There is none when a
// method computes the value, or when a type on the way cannot be named.
func (s *sampler) find(p spec.KeyPart) (place, bool) {
	at := place{expr: s.params[p.Param], typ: s.Params[p.Param].Type}
	promoted := at.expr
	for i, implicit := range implicitSteps(p) {
		index := s.fieldIndex(at.typ, p.Steps[i])
		if index == nil {
			return at, false
		}
		at = s.follow(at, index)
		if !implicit {
			promoted += at.expr[strings.LastIndex(at.expr, "."):]
		}
	}
	at.expr = promoted
	for _, pointer := range at.pointers {
		if !s.nameable(spec.Deref(pointer.typ)) {
			return at, false
		}
	}
	return at, true
}

// fieldIndex returns the way to the field that a step reads: embedded fields,
// then its own.
func (s *sampler) fieldIndex(t types.Type, step spec.Step) []int {
	names := []string{step.Name}
	if step.Method {
		name := property(step.Name)
		names = []string{name, spec.LowerFirst(step.Name), spec.LowerFirst(name)}
	}
	for _, name := range names {
		obj, index, _ := types.LookupFieldOrMethod(t, true, s.out.pkg.pkg.Types, name)
		field, ok := obj.(*types.Var)
		if ok && (types.Identical(field.Type(), step.Type) || types.Identical(spec.Deref(field.Type()), step.Type)) {
			return index
		}
	}
	return nil
}

// follow goes from a place to one of its fields.
func (s *sampler) follow(at place, index []int) place {
	next := place{typ: at.typ, pointers: at.pointers}
	expr := at.expr
	for _, i := range index {
		if isPointer(next.typ) {
			next.pointers = append(next.pointers, place{expr: expr, typ: next.typ})
		}
		field := spec.Deref(next.typ).Underlying().(*types.Struct).Field(i)
		expr += "." + field.Name()
		next.typ = field.Type()
		// The last field is promoted.
		next.expr = at.expr + "." + field.Name()
	}
	return next
}

// nameable reports whether the fixture can write the type: all that it names is
// exported and not internal to somebody else.
func (s *sampler) nameable(t types.Type) bool {
	switch t := t.(type) {
	case *types.Alias:
		return s.reaches(t.Obj()) && s.allNameable(t.TypeArgs())
	case *types.Named:
		return s.reaches(t.Obj()) && s.allNameable(t.TypeArgs())
	case *types.Map:
		return s.nameable(t.Key()) && s.nameable(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			if !field.Exported() && field.Pkg().Path() != s.out.imports.self || !s.nameable(field.Type()) {
				return false
			}
		}
	case interface{ Elem() types.Type }: // pointers, slices, arrays
		return s.nameable(t.Elem())
	}
	return true
}

func (s *sampler) allNameable(list *types.TypeList) bool {
	for t := range list.Types() {
		if !s.nameable(t) {
			return false
		}
	}
	return true
}

func (s *sampler) reaches(obj *types.TypeName) bool {
	if obj.Pkg() == nil || obj.Pkg().Path() == s.out.imports.self {
		return true
	}
	return obj.Exported() && visible(obj.Pkg().Path(), s.out.imports.self)
}

// visible reports whether a package may import another, by the rule for
// directories named internal.
func visible(importPath, from string) bool {
	i := strings.LastIndex("/"+importPath+"/", "/internal/")
	if i < 0 {
		return true
	}
	parent := strings.TrimSuffix(importPath[:i], "/")
	return from == parent || strings.HasPrefix(from, parent+"/")
}
