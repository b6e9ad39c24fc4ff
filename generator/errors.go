package generator

import "github.com/idemgen/idemgen/generator/internal/spec"

// Errors is all that is wrong with a project's directives and files, in the
// order of the places. [Generate], [Explain], [Init], [Write] and [Compare]
// return it for whatever the developer can mend at a place in a file:
//
//	var wrong generator.Errors
//	if errors.As(err, &wrong) {
//		for _, e := range wrong {
//			annotate(e.Pos.File, e.Pos.Line, e.Msg, e.Cure)
//		}
//	}
//
// It is a []*[Error], and has the methods
//
//	func (es Errors) Error() string                  // a line for each
//	func (es Errors) Err() error                     // nil if there is none; else sorted by place, each once
//	func (es *Errors) Add(pos Pos, msg, cure string) // notes one more
type Errors = spec.Errors

// Error is one thing that is wrong, where, and how to mend it. It has the
// fields
//
//	Pos  Pos
//	Msg  string // what is wrong
//	Cure string // how to mend it; may be empty
//
// and the method
//
//	func (e *Error) Error() string // file:line:col: what is wrong; how to mend it
type Error = spec.Error

// Pos is a place in a file. It has the fields
//
//	File string // slash-separated, relative to the root
//	Line int    // from 1
//	Col  int    // from 1; columns count bytes
//
// and the method
//
//	func (p Pos) String() string // file:line:col
type Pos = spec.Pos
