package gogen

import "github.com/dave/jennifer/jen"

// claim asks for the key, with all that the handler's run is to have.
func (w *wrapper) claim(before string) jen.Code {
	args := []string{w.params[0], w.store, w.spec, w.key}
	if len(w.Fingerprint) > 0 {
		args = append(args, w.fingerprintOption())
	}
	if w.Order != nil {
		args = append(args, w.orderOption())
	}
	if w.Payload {
		args = append(args, w.payloadOption())
	}
	claim := ".Claim[" + w.result + "]"
	if w.Transactional() {
		claim = w.txClaim()
	}
	// idem.Claim[Receipt](ctx, store, notifySpec, key)
	return call(before, w.out.imports.of(runtimePath)+claim, args)
}
