package gogen

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// sampler writes the statements that set what a key is made of, to values
// that differ by n. Of an order, the entity is always the same, and the version
// grows with n.
type sampler struct {
	*fixture
	stmts  []jen.Code
	fixed  bool            // values are the same for every n
	set    map[string]bool // expressions that are set
	json   map[string]bool // expressions that the fingerprint reads as JSON
	failed []string        // placeholders that it cannot set
	same   []string        // placeholders that it leaves as they are
	varies bool

	entity map[string]bool // expressions that are the same for every n
}

func newSampler(f *fixture) *sampler {
	s := &sampler{fixture: f, set: map[string]bool{}, json: map[string]bool{}, entity: map[string]bool{}}
	for _, p := range f.Fingerprint {
		if at, ok := s.find(p); ok && p.Encoder == spec.EncodeJSON {
			s.json[at.expr] = true
		}
	}
	return s
}

// fill returns the statements.
func (s *sampler) fill() []jen.Code {
	if s.Order != nil {
		s.ordered()
	}
	for _, p := range s.Key.Parts {
		if p.Text != "" {
			s.placeholder(p)
		}
	}
	return s.stmts
}

// missing returns the placeholders that are left to the developer: those that
// cannot be set and, when nothing else differs by n, those that are the same
// for every n.
func (s *sampler) missing() []string {
	if s.varies || len(s.failed) > 0 {
		return s.failed
	}
	return s.same
}

func (s *sampler) placeholder(p spec.KeyPart) {
	at, ok := s.find(p)
	if ok && s.entity[at.expr] {
		s.same = append(s.same, p.Text)
		return
	}
	value, made := "", false
	if ok {
		value, made = s.value(at, p)
	}
	switch {
	case made:
		s.allocate(at.pointers)
		s.assign(at, value)
		s.varies = true
	case ok && isBool(spec.Deref(at.typ)) || p.Optional:
		s.same = append(s.same, p.Text)
	default:
		s.failed = append(s.failed, p.Text)
	}
}

// allocate sets the pointers to structs on the way that are nil so far.
func (s *sampler) allocate(pointers []place) {
	for _, at := range pointers {
		if s.set[at.expr] {
			continue
		}
		s.set[at.expr] = true
		// event.Order = &Order{}
		value := jen.Op("&").Id(s.out.imports.text(spec.Deref(at.typ))).Values()
		s.stmts = append(s.stmts, jen.Id(at.expr).Op("=").Add(value))
	}
}

func (s *sampler) assign(at place, value string) {
	if s.set[at.expr] {
		return
	}
	s.set[at.expr] = true
	if isPointer(at.typ) {
		name := s.scope.take(spec.LowerFirst(at.expr[strings.LastIndex(at.expr, ".")+1:]), "value")
		// channel := fmt.Sprintf("id-%d", n)
		s.stmts = append(s.stmts, jen.Id(name).Op(":=").Id(value))
		value = "&" + name
	}
	// event.ID = fmt.Sprintf("id-%d", n)
	s.stmts = append(s.stmts, jen.Id(at.expr).Op("=").Id(value))
}

// value returns an expression for a place that differs by n and is never zero,
// if there is one that the type's own methods surely accept.
func (s *sampler) value(at place, p spec.KeyPart) (string, bool) {
	t := spec.Deref(at.typ)
	if !s.nameable(t) {
		return "", false
	}
	if timed(p) {
		return s.moment(t, p), true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return s.convert(t, types.String, s.sprintf(at)), true
		case u.Info()&types.IsInteger != 0:
			return s.convert(t, types.Int, s.number()), true
		}
	case *types.Slice:
		if p.Encoder == spec.EncodeBytes {
			return s.out.imports.text(t) + "(" + s.sprintf(at) + ")", true
		}
	case *types.Array:
		return s.array(t, u)
	}
	return "", false
}

// sprintf yields fmt.Sprintf("id-%d", n), or a number where JSON is read.
func (s *sampler) sprintf(at place) string {
	format := "id-%d"
	if s.json[at.expr] {
		format = "%d"
	}
	if s.fixed {
		return strconv.Quote(fmt.Sprintf(format, 1))
	}
	return s.out.imports.of("fmt") + `.Sprintf("` + format + `", ` + s.n + ")"
}

// number returns an integer that is not zero.
func (s *sampler) number() string {
	if s.fixed {
		return "1"
	}
	return s.n + " + 1"
}

// moment returns a time on another day for every n.
func (s *sampler) moment(t types.Type, p spec.KeyPart) string {
	clock, day := s.out.imports.of("time"), s.n
	if s.fixed {
		day = "1"
	}
	moment := fmt.Sprintf("%s.Date(2026, 1, %s, 12, 0, 0, 0, %s.UTC)", clock, day, clock)
	if p.Convert {
		return s.out.imports.text(t) + "(" + moment + ")"
	}
	return moment
}

// timed reports whether a placeholder holds a time.
func timed(p spec.KeyPart) bool {
	return p.Encoder == spec.EncodeDate || p.Encoder == spec.EncodeHour || p.Encoder == spec.EncodeUnix || p.Encoder == spec.EncodeAtTime
}

// convert makes an expression of a basic type one of type t.
func (s *sampler) convert(t types.Type, kind types.BasicKind, expr string) string {
	if types.Identical(t, types.Typ[kind]) {
		return expr
	}
	return s.out.imports.text(t) + "(" + expr + ")"
}

// array returns a byte array that starts with n.
func (s *sampler) array(t types.Type, array *types.Array) (string, bool) {
	elem := array.Elem()
	basic, ok := elem.Underlying().(*types.Basic)
	if !ok || basic.Kind() != types.Byte || array.Len() == 0 || !s.nameable(elem) {
		return "", false
	}
	text, byteText := s.out.imports.text(t), s.out.imports.text(elem)
	if s.fixed {
		return text + "{1}", true
	}
	if array.Len() == 1 {
		return fmt.Sprintf("%s{%s(%s%%255) + 1}", text, byteText, s.n), true
	}
	return fmt.Sprintf("%s{%s(%s>>8) + 1, %s(%s)}", text, byteText, s.n, byteText, s.n), true
}

func isBool(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
