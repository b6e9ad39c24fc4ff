package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// batch is a wrapper whose events come in batches, with the names of the variables
// of the functions that deliver one.
type batch struct {
	*wrapper
	event                    int // its index in Params
	ctx, store, events, opts string
}

func newBatch(w *wrapper) *batch {
	b := &batch{wrapper: w, event: w.EventParam(), ctx: w.params[0], store: w.store}
	vars := w.out.imports.variables()
	vars.reserve(w.batchTypes()...)
	hides := !vars.free(b.ctx)
	vars.reserve(w.all()...)
	vars.reserve(w.params...)
	vars.reserve(w.KeyFunc(), w.Func, w.recv, w.store, w.handle)
	if hides {
		// What it delivers one by has package context in its signature.
		b.ctx = vars.take("ctx", "callerCtx")
	}
	b.events, b.opts = vars.take("events", "batch"), vars.take("opts", "options")
	return b
}

// batchTypes returns the names that the types of what the batch delivers one by
// have: no variable around it may hide them.
func (w *wrapper) batchTypes() []string {
	var names []string
	for _, t := range append(paramTypes(w.Handler), results(w.Handler)...) {
		names = append(names, identifiers(w.out.imports.peek(t))...)
	}
	return names
}

// batchHasOthers reports whether the events of a batch are not all that the wrapper
// takes: what the others are called must not hide a type then.
func batchHasOthers(h *spec.Handler) bool {
	n := 0
	for _, p := range h.Params {
		if p.Kind == spec.PassParam {
			n++
		}
	}
	return h.Batched() && n > 1
}

// batchDecls declare the wrapper for many events, and what it does around any
// handler.
func (w *wrapper) batchDecls() []jen.Code {
	b := newBatch(w)
	return []jen.Code{b.decl(), b.seamDecl()}
}

// fields returns the parameters up to the options: handle is for the seam.
func (b *batch) fields(handle ...field) []field {
	idem := b.out.imports.of(runtimePath)
	params := []field{{b.ctx, b.out.imports.of("context") + ".Context"}, {b.store, idem + ".Store"}}
	for _, i := range b.passed() {
		if i == b.event {
			params = append(params, field{b.events, "[]" + b.paramType(i)})
		} else {
			params = append(params, field{b.params[i], slice(b.paramType(i))})
		}
	}
	return append(append(params, handle...), field{b.opts, "..." + idem + ".BatchOption"})
}

// answers returns the result of the wrapper, and the function of package runtime
// that makes it.
func (b *batch) answers() (results, deliver string) {
	if b.Result == nil {
		return "[]error", "BatchErrors"
	}
	return "[]" + b.out.imports.of(runtimePath) + ".Delivered[" + b.result + "]", "Batch"
}

func (b *batch) decl() jen.Code {
	results, _ := b.answers()
	recv, handle := "", b.Func
	if b.Recv != nil {
		recv, handle = b.receiver(), b.recv+"."+b.Func
	}
	args := []string{b.ctx, b.store}
	for _, i := range b.passed() {
		if i == b.event {
			args = append(args, b.events)
		} else {
			args = append(args, b.params[i])
		}
	}
	// NotifyOnceBatch runs NotifyOnce for each of some events, with one statement for all claims ...
	decl := above("%s runs %s for each of some events, with one statement for all claims and one for all completions.", b.Batch(), b.Wrapper())
	// func NotifyOnceBatch(ctx context.Context, store idem.Store, events []ShippedEvent, opts ...idem.BatchOption) []idem.Delivered[Receipt] {
	return decl.Add(signature("func", recv, b.Batch(), b.fields(), results)).Block(
		// return notifyOnceBatchWith(ctx, store, events, Notify, opts...)
		jen.Return(call("\treturn ", b.batchSeam, append(args, handle, b.opts+"..."))),
	)
}

// seamDecl declares what the wrapper does, around any function of the handler's
// type.
func (b *batch) seamDecl() jen.Code {
	results, deliver := b.answers()
	idem := b.out.imports.of(runtimePath)
	params := []field{{b.ctx, b.out.imports.of("context") + ".Context"}, {b.store, idem + ".Store"}, {b.params[b.event], b.paramType(b.event)}}
	args := []string{b.ctx, b.store}
	for _, i := range b.passed() {
		args = append(args, b.params[i])
	}
	once := signature("", "", "", params, b.results()).Block(
		// return notifyOnceWith(ctx, store, event, handle)
		jen.Return(call("\t\treturn ", b.seam, append(args, b.handle))),
	)
	// notifyOnceBatchWith is NotifyOnceBatch around any handler.
	decl := above("%s is %s around any handler.", b.batchSeam, b.Batch())
	// func notifyOnceBatchWith(ctx context.Context, ..., handle func(context.Context, ShippedEvent) (Receipt, error), ...) []idem.Delivered[Receipt] {
	return decl.Add(signature("func", "", b.batchSeam, b.fields(field{b.handle, b.handleType()}), results)).Block(
		// return idem.Batch(ctx, store, events, NotifyKey, func(ctx context.Context, store idem.Store, event ShippedEvent) (Receipt, error) {
		//	return notifyOnceWith(ctx, store, event, handle)
		// }, opts...)
		jen.Return(jen.Id(idem).Dot(deliver).Call(jen.Id(b.ctx), jen.Id(b.store), jen.Id(b.events), jen.Id(b.KeyFunc()), once, jen.Id(b.opts+"..."))),
	)
}
