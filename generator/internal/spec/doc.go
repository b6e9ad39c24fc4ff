// Package spec is the model that both front ends fill and every emitter
// reads, and its validation: what a key may be made of, which names a
// handler gives, which errors a user sees. It imports the standard library
// only.
package spec
