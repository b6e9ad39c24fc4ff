package gogen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// orderParts returns what a handler's order is made of: the version, then the
// entity.
func orderParts(h *spec.Handler) []spec.KeyPart {
	if h.Order == nil {
		return nil
	}
	return append([]spec.KeyPart{h.Order.Version}, h.Order.Entity.Parts...)
}

// orderDecl declares which version of which entity an event is about.
func (w *wrapper) orderDecl() jen.Code {
	idem := w.out.imports.of(runtimePath)
	b := w.newParts()
	// return idem.NewOrder(
	//	idem.At("event.Version", event.Version),
	//	idem.Literal("account:"),
	//	idem.String("event.AccountID", event.AccountID),
	// )
	result := jen.Return(jen.Id(idem).Dot("NewOrder").Add(b.arguments(orderParts(w.Handler))))
	// depositOrder is the place of an event of Deposit among those of its entity: account:{event.AccountID} at {event.Version}.
	decl := above("%s is the place of an event of %s among those of its entity: %s.", w.order, w.title(), w.Order)
	// func depositOrder(event Event) idem.Order {
	return decl.Add(signature("func", "", w.order, w.fieldsOf(w.read(orderParts(w.Handler))), idem+".Order")).
		Block(append(b.before, result)...)
}

// orderOption is the option of the claim that carries the order.
func (w *wrapper) orderOption() string {
	args := strings.Join(w.argsOf(w.read(orderParts(w.Handler))), ", ")
	// idem.WithOrder(depositOrder(event))
	return w.out.imports.of(runtimePath) + ".WithOrder(" + w.order + "(" + args + "))"
}

// missing returns the function of package runtime that makes a part that cannot
// be reached.
func missing(p spec.KeyPart) string {
	if p.Encoder == spec.EncodeAt || p.Encoder == spec.EncodeAtTime {
		return "MissingVersion"
	}
	return "Missing"
}

// ofOrder says what else the arguments of deliveries have to be.
func (f *fixture) ofOrder() string {
	if f.Order == nil {
		return ""
	}
	return ", all of one entity " + f.Order.Entity.Text + ", and a greater n a greater version " + f.Order.Version.Placeholder()
}

// ordered sets what the order is made of. What is in the way of it is left to
// the developer.
func (s *sampler) ordered() {
	s.fixed = true
	for _, p := range s.Order.Entity.Parts {
		if p.Text == "" {
			continue
		}
		at, ok := s.find(p)
		s.placeholder(p)
		s.entity[at.expr] = ok
	}
	s.fixed, s.varies, s.same = false, false, nil
	if at, ok := s.find(s.Order.Version); ok && s.entity[at.expr] {
		s.failed = append(s.failed, s.Order.Version.Text)
	} else {
		s.placeholder(s.Order.Version)
	}
	s.varies = false
}
