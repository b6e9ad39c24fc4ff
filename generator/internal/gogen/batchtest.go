package gogen

import "github.com/dave/jennifer/jen"

// batchFunc delivers some messages to the seam of the batch, around a stand-in.
func (s *standIn) batchFunc() jen.Code {
	event := s.EventParam()
	ctxType, idem := s.out.imports.of("context")+".Context", s.out.imports.of(runtimePath)
	in := s.scope.inner()
	numbers, events := in.take("numbers", "ns"), in.take("events", "batch")
	params := []field{
		{s.ctx, ctxType}, {s.store, idem + ".Store"}, {numbers, "[]int"},
		{s.handle, "func(" + ctxType + ") (" + s.result + ", error)"},
	}
	typ := s.paramType(event)
	body := []jen.Code{
		// events := idemtest.Each(numbers, func(n int) ShippedEvent {
		//	event := notifyArgs(n)
		//	return event
		// })
		jen.Id(events).Op(":=").Id(s.out.imports.of(idemtestPath)).Dot("Each").Call(jen.Id(numbers),
			signature("\t\t\t", "", "", []field{{s.n, "int"}}, typ).Block(
				jen.Id(s.argsText(s.n, []int{event})),
				jen.Return(jen.Id(s.params[event])),
			)),
	}
	args := []string{s.ctx, s.store}
	var others []int
	for _, i := range s.passed() {
		if i == event {
			args = append(args, events)
			continue
		}
		others = append(others, i)
		args = append(args, s.params[i])
	}
	if others != nil {
		// _, shop := notifyArgs(1)
		body = append(body, jen.Id(s.argsText("1", others)))
	}
	return signature("\t\tBatch: func", "", "", params, "[]"+idem+".Delivered["+s.result+"]").Block(append(body, s.batchCall(args))...)
}

// batchCall calls the seam.
func (s *standIn) batchCall(args []string) jen.Code {
	before, after := s.batchSeam+"(", ")"
	if s.Result == nil {
		before, after = s.out.imports.of(idemtestPath)+".Delivered("+before, "))"
	}
	for _, arg := range args {
		before += arg + ", "
	}
	// return notifyOnceBatchWith(ctx, store, events, func(ctx context.Context, _ ShippedEvent) (Receipt, error) {...})
	return jen.Return(jen.Id(before).Add(s.standInFunc("\t\t\treturn " + before + "func")).Op(after))
}
