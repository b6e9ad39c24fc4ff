package spec

import (
	"fmt"
	"go/types"
	"slices"
)

// RuntimePath is the package that generated code imports as idem.
const RuntimePath = "github.com/idemgen/idemgen/runtime"

// signature fills in what the function's type says.
func (b *builder) signature() {
	sig := b.src.Func.Signature()
	b.receiver(sig)
	if reason := b.uncallable(); reason != "" {
		b.generic = true
		b.errs.Add(b.h.Pos, reason, "move its work into a function with another name, which takes the event, and annotate that one")
		return
	}
	b.typeParams(sig)
	b.params(sig)
	b.results(sig)
}

// uncallable says why nobody can call the function, or nothing. All else that
// is wrong with it follows.
func (b *builder) uncallable() string {
	name := b.h.Func
	switch {
	case name == "_":
		return "a function called _ cannot be called"
	case b.h.Recv == nil && (name == "init" || name == "main" && b.src.Func.Pkg().Name() == "main"):
		return fmt.Sprintf("%s is called by Go alone, when the program starts, and not for an event", name)
	}
	return ""
}

func (b *builder) receiver(sig *types.Signature) {
	recv := sig.Recv()
	if recv == nil {
		return
	}
	t, pointer := types.Unalias(recv.Type()), false
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = types.Unalias(p.Elem()), true
	}
	named, ok := t.(*types.Named)
	if !ok {
		b.invalid(recv, "the receiver")
		b.h.Recv = &Recv{Name: recv.Name(), Type: "_", Pointer: pointer}
		return
	}
	b.h.Recv = &Recv{Name: recv.Name(), Type: named.Obj().Name(), Pointer: pointer}
}

// typeParams refuses generic handlers: one key function and one namespace
// would stand for many functions, which would answer each other's duplicates.
func (b *builder) typeParams(sig *types.Signature) {
	what, list := "function", sig.TypeParams()
	if list.Len() == 0 {
		what, list = "receiver", sig.RecvTypeParams()
	}
	if list.Len() == 0 {
		return
	}
	b.generic = true
	first := list.At(0).Obj()
	msg := fmt.Sprintf("the %s of %s has type parameters, and runs of one type would answer duplicates of another", what, b.display())
	if types.Universe.Lookup(first.Name()) != nil {
		msg = fmt.Sprintf("the %s of %s has type parameters (%s is the name of one there, not the type), and runs of one type would answer duplicates of another",
			what, b.display(), first.Name())
	}
	b.errs.Add(b.src.At(first.Pos()), msg, "annotate a function without type parameters that calls it, one for each type")
}

func (b *builder) params(sig *types.Signature) {
	params := sig.Params()
	for i := range params.Len() {
		v := params.At(i)
		p := Param{Name: v.Name(), Type: v.Type(), Variadic: sig.Variadic() && i == params.Len()-1}
		switch {
		case i == 0:
			b.first(v, params, &p)
		case isNamed(v.Type(), RuntimePath, "Key"):
			p.Kind = KeyParam
		case isNamed(v.Type(), RuntimePath, "Delivery"):
			p.Kind = DeliveryParam
		case isTransaction(v.Type()):
			p.Kind = TxParam
			b.transaction(v)
		default:
			b.passed(v, p)
		}
		b.h.Params = append(b.h.Params, p)
	}
	if params.Len() == 0 {
		b.errs.Add(b.h.Pos, fmt.Sprintf("%s has no parameter context.Context", b.display()), contextCure)
	}
}

const contextCure = "make ctx context.Context the first parameter"

// first checks the parameter that has to be the context.
func (b *builder) first(v *types.Var, params *types.Tuple, p *Param) {
	if isNamed(v.Type(), "context", "Context") {
		p.Kind = ContextParam
		return
	}
	if b.invalid(v, "the first parameter") {
		return
	}
	cure := contextCure
	for i := 1; i < params.Len(); i++ {
		if isNamed(params.At(i).Type(), "context", "Context") {
			cure = "move the context to the front"
		}
	}
	b.errs.Add(b.src.At(v.Pos()), fmt.Sprintf("the first parameter of %s is of type %s, not context.Context",
		b.display(), b.typeName(v.Type())), cure)
}

// passed checks a parameter that the wrapper passes on.
func (b *builder) passed(v *types.Var, p Param) {
	if b.invalid(v, "a parameter") {
		return
	}
	pos := b.src.At(v.Pos())
	s, ok := v.Type().(*types.Slice)
	switch {
	case !ok || !p.Variadic:
	case isNamed(s.Elem(), RuntimePath, "Key"):
		b.errs.Add(pos, "a variadic parameter cannot take the run's key", "make it idem.Key, without the dots")
	case isNamed(s.Elem(), RuntimePath, "Delivery"):
		b.errs.Add(pos, "a variadic parameter cannot take the delivery", "make it idem.Delivery, without the dots")
	case isTransaction(s.Elem()):
		b.errs.Add(pos, "a variadic parameter cannot take the transaction", "make it "+b.typeName(s.Elem())+", without the dots")
	}
}

func (b *builder) results(sig *types.Signature) {
	results := sig.Results()
	n := results.Len()
	if n == 0 {
		b.errs.Add(b.h.Pos, fmt.Sprintf("%s returns nothing, so that no failure can be told", b.display()), "make it return error")
		return
	}
	last := results.At(n - 1)
	if !types.Identical(types.Unalias(last.Type()), types.Universe.Lookup("error").Type()) && !b.invalid(last, "a result") {
		cure := "return error after it"
		if own, ok := b.src.Func.Pkg().Scope().Lookup("error").(*types.TypeName); ok && types.Identical(last.Type(), own.Type()) {
			cure = fmt.Sprintf("give the error that is declared at %s another name: it hides Go's", b.src.At(own.Pos()))
		}
		b.errs.Add(b.src.At(last.Pos()), fmt.Sprintf("the last result of %s is of type %s, not error",
			b.display(), b.typeName(last.Type())), cure)
		return
	}
	if n > 2 {
		b.errs.Add(b.src.At(results.At(1).Pos()), fmt.Sprintf("%s returns %d results before error, and one can be stored",
			b.display(), n-1), "put them in a struct")
		return
	}
	if n == 2 && !b.invalid(results.At(0), "the result") {
		b.h.Result = results.At(0).Type()
		if !b.generic {
			b.storable(results.At(0))
		}
	}
}

// invalid reports a type that could not be checked: whatever follows from it
// would be noise.
func (b *builder) invalid(v *types.Var, what string) bool {
	if !hasInvalid(v.Type()) {
		return false
	}
	b.errs.Add(b.src.At(v.Pos()), fmt.Sprintf("the type of %s of %s does not compile", what, b.h.Func), "mend the type first")
	return true
}

// hasInvalid looks into the types that have no name of their own; the others
// are told where they are declared.
func hasInvalid(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Named:
		return t.Underlying() == types.Typ[types.Invalid] || slices.ContainsFunc(slices.Collect(t.TypeArgs().Types()), hasInvalid)
	case *types.Pointer:
		return hasInvalid(t.Elem())
	case *types.Slice:
		return hasInvalid(t.Elem())
	case *types.Array:
		return hasInvalid(t.Elem())
	case *types.Map:
		return hasInvalid(t.Key()) || hasInvalid(t.Elem())
	}
	return false
}

// isNamed looks through aliases.
func isNamed(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path && named.Obj().Name() == name
}
