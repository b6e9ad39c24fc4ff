package generator

import "github.com/idemgen/idemgen/generator/internal/spec"

// Errors is all that is wrong with a project's directives and files, in the
// order of the places. [Generate] and [Write] return it for whatever the
// developer can mend at a place in a file.
type Errors = spec.Errors

// Error is one thing that is wrong, where, and how to mend it.
type Error = spec.Error

// Pos is a place in a file.
type Pos = spec.Pos
