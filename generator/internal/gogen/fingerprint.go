package gogen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// fingerprintDecl declares what a duplicate is compared by.
func (w *wrapper) fingerprintDecl() jen.Code {
	idem := w.out.imports.of(runtimePath)
	b := w.newParts()
	// return idem.NewFingerprint(
	//	idem.Value("order.Cents", order.Cents),
	//	idem.Lower(idem.String("order.Currency", order.Currency)),
	// )
	result := jen.Return(jen.Id(idem).Dot("NewFingerprint").Add(b.arguments(w.Fingerprint)))
	// chargeFingerprint is what a duplicate of Charge has to agree on: {order.Cents} {order.Currency|lower}.
	decl := above("%s is what a duplicate of %s has to agree on: %s.", w.fingerprint, w.title(), spec.Placeholders(w.Fingerprint))
	// func chargeFingerprint(order Order) idem.Fingerprint {
	return decl.Add(signature("func", "", w.fingerprint, w.fieldsOf(w.read(w.Fingerprint)), idem+".Fingerprint")).
		Block(append(b.before, result)...)
}

// fingerprintOption is the option of the claim that carries the fingerprint.
func (w *wrapper) fingerprintOption() string {
	args := strings.Join(w.argsOf(w.read(w.Fingerprint)), ", ")
	// idem.WithFingerprint(chargeFingerprint(order))
	return w.out.imports.of(runtimePath) + ".WithFingerprint(" + w.fingerprint + "(" + args + "))"
}
