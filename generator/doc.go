// Package generator turns a project's directives into files. [Generate]
// computes every file and writes none: load, validate, emit, and type-check in
// memory. [Write] is the one place that writes, [Compare] the
// one that says what it would write.
//
// It may import its own internal packages: load fills the model, spec is the
// model, gogen and sqlgen emit from it. Of package runtime it takes the limits
// of keys and nothing else, and it imports nothing that talks to a database.
package generator
