// Package spec is the model that package load fills and every emitter reads,
// and its validation: what a key may be made of, which names a handler gives,
// which errors a user sees.
//
// [NewHandler] makes a [Handler] of a function's types and its directives,
// which both front ends give it in one form; [Validate] checks what only the
// whole project can tell. Both collect every error, each at the byte that is
// wrong and with its cure. The grammar is one table ([Fields]), which
// [Reference] and [Help] write out for people.
//
// It imports the standard library only.
package spec
