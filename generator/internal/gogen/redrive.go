package gogen

import (
	"fmt"
	"go/token"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// redrive is a wrapper whose event is kept, with the names of the variables of
// the function that redrives.
type redrive struct {
	*wrapper
	ctx, limit, event, error string
	fields                   []string // of the event, in the order of passed
}

func newRedrive(w *wrapper) *redrive {
	r := &redrive{wrapper: w, fields: payloadFields(w)}
	vars := w.out.imports.variables()
	vars.reserve(w.all()...)
	vars.reserve(w.KeyFunc(), w.Wrapper(), w.recv, w.store)
	r.ctx = vars.take("ctx", "callerCtx")
	r.limit = vars.take("limit", "most")
	r.event = vars.take("event", "kept")
	r.error = vars.take("err", "deliverErr")
	return r
}

// payloadFields returns the names of the event's fields: those of the
// parameters, exported.
func payloadFields(w *wrapper) []string {
	taken := universe.inner()
	var fields []string
	for n, i := range w.passed() {
		name := spec.UpperFirst(w.params[i])
		if !token.IsExported(name) {
			name = fmt.Sprintf("Arg%d", n+1)
		}
		fields = append(fields, taken.take(name))
	}
	return fields
}

// redriveDecls declares the event as it is kept, and what delivers it again.
func (w *wrapper) redriveDecls() []jen.Code {
	r := newRedrive(w)
	return []jen.Code{r.payloadDecl(), r.decl()}
}

func (r *redrive) payloadDecl() jen.Code {
	var fields []jen.Code
	for n, i := range r.passed() {
		// Event ShippedEvent `json:"event"`
		fields = append(fields, jen.Id(r.fields[n]+" "+slice(r.paramType(i))+" `json:"+strconv.Quote(r.params[i])+"`"))
	}
	// notifyPayload is the event of Notify as its run keeps it.
	// type notifyPayload struct {...}
	return above("%s is the event of %s as its run keeps it.", r.payload, r.title()).
		Type().Id(r.payload).Struct(fields...)
}

// payloadOption has a claim keep the event.
func (w *wrapper) payloadOption() string {
	args := ""
	for n, i := range w.passed() {
		if n > 0 {
			args += ", "
		}
		args += w.params[i]
	}
	// idem.WithPayload(&notifyPayload{event})
	return w.out.imports.of(runtimePath) + ".WithPayload(&" + w.payload + "{" + args + "})"
}

// read returns the event's values, those at some indexes in Params, as a call
// passes them on.
func (r *redrive) read(indexes []int) []string {
	var args []string
	for _, i := range indexes {
		for n, passed := range r.passed() {
			if passed == i {
				arg := r.event + "." + r.fields[n]
				if r.Params[i].Variadic {
					arg += "..."
				}
				args = append(args, arg)
			}
		}
	}
	return args
}

func (r *redrive) decl() jen.Code {
	idem, context := r.out.imports.of(runtimePath), r.out.imports.of("context")
	recv, wrapper := "", r.Wrapper()
	if r.Recv != nil {
		recv, wrapper = r.receiver(), r.recv+"."+wrapper
	}
	params := []field{{r.ctx, context + ".Context"}, {r.store, idem + ".Store"}, {r.limit, "int"}}
	event := field{r.event, r.payload}
	keyOf := signature("", "", "", []field{event}, "("+idem+".Key, error)").Block(
		// return NotifyKey(event.Event)
		jen.Return(call("\t\treturn ", r.KeyFunc(), r.read(r.keyed()))),
	)
	deliver := signature("", "", "", []field{{r.ctx, context + ".Context"}, event}, "error").Block(
		r.deliver(wrapper, append([]string{r.ctx, r.store}, r.read(r.passed())...))...)
	// RedriveNotify delivers the events of Notify again that no delivery comes for ...
	decl := above("%s runs %s again for events that no delivery comes for, oldest first and at most limit of them: "+
		"runs that wait and are due, and runs whose worker died.", r.Redrive(), r.Func)
	// func RedriveNotify(ctx context.Context, store idem.Store, limit int) ([]idem.Redriven, error) {
	//	return idem.Redrive(ctx, store, notifySpec, limit, func(event notifyPayload) (idem.Key, error) {
	//		return NotifyKey(event.Event)
	//	}, func(ctx context.Context, event notifyPayload) error {
	//		_, err := NotifyOnce(ctx, store, event.Event)
	//		return err
	//	})
	// }
	return decl.Add(signature("func", recv, r.Redrive(), params, "([]"+idem+".Redriven, error)")).Block(
		jen.Return(jen.Id(idem).Dot("Redrive").Call(jen.Id(r.ctx), jen.Id(r.store), jen.Id(r.spec), jen.Id(r.limit), keyOf, deliver)),
	)
}

// deliver calls the wrapper, of whose result nothing is needed.
func (r *redrive) deliver(wrapper string, args []string) []jen.Code {
	if r.Result == nil {
		// return NotifyOnce(ctx, store, event.Event)
		return []jen.Code{jen.Return(call("\t\treturn ", wrapper, args))}
	}
	return []jen.Code{
		// _, err := NotifyOnce(ctx, store, event.Event)
		jen.List(jen.Id("_"), jen.Id(r.error)).Op(":=").Add(call("\t\t_, "+r.error+" := ", wrapper, args)),
		// return err
		jen.Return(jen.Id(r.error)),
	}
}
