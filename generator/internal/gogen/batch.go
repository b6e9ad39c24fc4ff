package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// batch is a wrapper whose events come in batches, with the names of the variables
// of the function that delivers one.
type batch struct {
	*wrapper
	event                    int // its index in Params
	ctx, store, events, opts string
}

func newBatch(w *wrapper) *batch {
	b := &batch{wrapper: w, event: w.EventParam(), ctx: w.params[0], store: w.store}
	vars := w.out.imports.variables()
	vars.reserve(w.all()...)
	vars.reserve(w.params...)
	vars.reserve(w.KeyFunc(), w.Wrapper(), w.recv, w.store)
	b.events, b.opts = vars.take("events", "batch"), vars.take("opts", "options")
	return b
}

// batchHasOthers reports whether the events of a batch are not all that the wrapper
// takes: what it does for one is a function of its own then, in the body.
func batchHasOthers(h *spec.Handler) bool {
	n := 0
	for _, p := range h.Params {
		if p.Kind == spec.PassParam {
			n++
		}
	}
	return h.Batched() && n > 1
}

// batchDecl declares the wrapper for many events.
func (w *wrapper) batchDecl() jen.Code {
	b := newBatch(w)
	idem, context := b.out.imports.of(runtimePath), b.out.imports.of("context")
	params := []field{{b.ctx, context + ".Context"}, {b.store, idem + ".Store"}}
	for _, i := range b.passed() {
		if i == b.event {
			params = append(params, field{b.events, "[]" + b.paramType(i)})
		} else {
			params = append(params, field{b.params[i], slice(b.paramType(i))})
		}
	}
	params = append(params, field{b.opts, "..." + idem + ".BatchOption"})
	recv, results, deliver := "", "[]error", "BatchErrors"
	if b.Recv != nil {
		recv = b.receiver()
	}
	if b.Result != nil {
		results, deliver = "[]"+idem+".Delivered["+b.result+"]", "Batch"
	}
	// NotifyOnceBatch runs NotifyOnce for each of some events, with one statement for all claims ...
	decl := above("%s runs %s for each of some events, with one statement for all claims and one for all completions.", b.Batch(), b.Wrapper())
	// func NotifyOnceBatch(ctx context.Context, store idem.Store, events []ShippedEvent, opts ...idem.BatchOption) []idem.Delivered[Receipt] {
	return decl.Add(signature("func", recv, b.Batch(), params, results)).Block(
		// return idem.Batch(ctx, store, events, NotifyKey, NotifyOnce, opts...)
		jen.Return(jen.Id(idem).Dot(deliver).Call(jen.Id(b.ctx), jen.Id(b.store), jen.Id(b.events), jen.Id(b.KeyFunc()), b.once(), jen.Id(b.opts+"..."))),
	)
}

// once is the wrapper, around what is the same for all events.
func (b *batch) once() jen.Code {
	once := b.Wrapper()
	if b.Recv != nil {
		once = b.recv + "." + once
	}
	if !batchHasOthers(b.Handler) {
		return jen.Id(once)
	}
	idem, context := b.out.imports.of(runtimePath), b.out.imports.of("context")
	params := []field{{b.ctx, context + ".Context"}, {b.store, idem + ".Store"}, {b.params[b.event], b.paramType(b.event)}}
	// func(ctx context.Context, store idem.Store, event ShippedEvent) (Receipt, error) {
	//	return NotifyOnce(ctx, store, shop, event)
	// }
	return signature("", "", "", params, b.results()).Block(
		jen.Return(call("\t\treturn ", once, append([]string{b.ctx, b.store}, b.argsOf(b.passed())...))),
	)
}
