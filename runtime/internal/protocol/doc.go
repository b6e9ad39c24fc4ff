// Package protocol is what the stores have in common: it decides who gets a
// key, and asks again when an answer was lost. It knows no SQL. A store gives
// it a [Table], each method of which is one statement; docs/protocol.md tells
// why each step is as it is.
//
// The package imports the standard library and runtime only.
package protocol
