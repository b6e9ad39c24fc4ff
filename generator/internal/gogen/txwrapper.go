package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

func isTx(p spec.Param) bool { return p.Kind == spec.TxParam }

// txParam returns the index of the parameter that takes the transaction, of a
// transactional handler.
func (l *handler) txParam() int {
	for i, p := range l.Params {
		if isTx(p) {
			return i
		}
	}
	return -1
}

// txClaim asks for the key in a transaction.
func (w *wrapper) txClaim() string {
	// idem.ClaimTx[pgx.Tx, Receipt]
	return ".ClaimTx[" + w.paramType(w.txParam()) + ", " + w.result + "]"
}

// txBody is what happens in the transaction of a claim.
func (w *wrapper) txBody() []jen.Code {
	if w.Result == nil {
		return []jen.Code{
			// if _, ok := run.Replay(); ok {
			//	return nil
			// }
			w.ifReplayed("_", jen.Nil()),
			// _, err = run.Commit(func(ctx context.Context, tx pgx.Tx) (struct{}, error) {
			//	return struct{}{}, handle(ctx, tx, event)
			// })
			jen.List(jen.Id("_"), jen.Id(w.err)).Op("=").Add(w.commit("\t_, "+w.err+" = ", "struct{}{}, ")),
			// return err
			jen.Return(jen.Id(w.err)),
		}
	}
	return []jen.Code{
		// if receipt, ok := run.Replay(); ok {
		//	return receipt, nil
		// }
		w.ifReplayed(w.value, jen.List(jen.Id(w.value), jen.Nil())),
		// return run.Commit(func(ctx context.Context, tx pgx.Tx) (Receipt, error) {
		//	return handle(ctx, tx, event)
		// })
		jen.Return(w.commit("\treturn ", "")),
	}
}

// commit does the work and commits it. Its context hides the caller's.
func (w *wrapper) commit(before, first string) *jen.Statement {
	params := []field{w.field(0), {w.tx, w.paramType(w.txParam())}}
	head := before + w.run + ".Commit(func"
	work := signature(head, "", "", params, "("+w.result+", error)").Block(
		jen.Return(jen.Id(first).Add(call("\t\treturn "+first, w.handle, w.handleArgs()))),
	)
	return jen.Id(w.run).Dot("Commit").Call(work)
}
