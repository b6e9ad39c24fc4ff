package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// mayBeNil reports whether nil may be on the way to the value.
func mayBeNil(p spec.KeyPart) bool {
	return p.Deref || slices.ContainsFunc(p.Steps, func(s spec.Step) bool { return s.NilCheck })
}

// leaf is the end of a placeholder's path.
type leaf struct {
	expr        string
	guards      []guard // around what reads expr, outermost first
	addressable bool
}

// guard is a condition on the way: what may be nil is not. The result of a
// method that is looked at and used is kept in between, since the next call
// may give another.
type guard struct {
	local, call string // order and event.Order(); empty if there is no method
	notNil      []string
}

// walk follows a placeholder's path. Locals are the names for guards.
func (b *partsBuilder) walk(p spec.KeyPart, locals *scope) leaf {
	l := leaf{expr: b.params[p.Param], addressable: true}
	embedded := "" // selectors since expr that the developer left out
	t := b.Params[p.Param].Type
	keep := usedTwice(p)
	for i, implicit := range implicitSteps(p) {
		step := p.Steps[i]
		if step.NilCheck {
			l.check(l.expr + embedded)
		}
		l.addressable = !step.Method && (l.addressable || isPointer(t))
		t = step.Type
		if implicit {
			embedded += selector(step)
			continue
		}
		l.expr, embedded = l.expr+selector(step), ""
		if keep[i] {
			name := spec.LowerFirst(property(step.Name))
			name = locals.take(name, name+"Value")
			l.guards = append(l.guards, guard{local: name, call: l.expr})
			l.expr, l.addressable = name, true
		}
	}
	if p.Deref {
		l.check(l.expr)
	}
	return l
}

// usedTwice tells for each step whether it is a method whose result is looked
// at before it is used.
func usedTwice(p spec.KeyPart) []bool {
	twice := make([]bool, len(p.Steps))
	checked := p.Deref
	for i := len(p.Steps) - 1; i >= 0; i-- {
		twice[i] = p.Steps[i].Method && checked
		checked = p.Steps[i].NilCheck || checked && !twice[i]
	}
	return twice
}

// check adds an expression that may be nil.
func (l *leaf) check(expr string) {
	if len(l.guards) == 0 {
		l.guards = append(l.guards, guard{})
	}
	last := &l.guards[len(l.guards)-1]
	last.notNil = append(last.notNil, expr)
}

// around puts statements under the guard.
func (g guard) around(body []jen.Code) jen.Code {
	condition := strings.Join(g.notNil, " != nil && ") + " != nil"
	if g.local == "" {
		// if event != nil && event.Channel != nil {...}
		return jen.If(jen.Id(condition)).Block(body...)
	}
	// if order := event.Order(); order != nil {...}
	return jen.If(jen.Id(g.local).Op(":=").Id(g.call), jen.Id(condition)).Block(body...)
}

// property returns what a method that may be called GetOrder returns: Order.
func property(method string) string {
	if name := strings.TrimPrefix(method, "Get"); name != "" {
		return name
	}
	return method
}

func selector(step spec.Step) string {
	if step.Method {
		return "." + step.Name + "()"
	}
	return "." + step.Name
}

// implicitSteps tells for each step whether it is an embedded field that the
// placeholder leaves out.
func implicitSteps(p spec.KeyPart) []bool {
	implicit := make([]bool, len(p.Steps))
	written := strings.Split(p.Text, ".")[1:]
	for i, step := range p.Steps {
		implicit[i] = len(written) == 0 || step.Name != written[0]
		if !implicit[i] {
			written = written[1:]
		}
	}
	return implicit
}
