// Package generator turns a project's directives into files. [Generate]
// computes every file and writes none: load, validate, emit, format, and
// type-check in memory. [Write] is the one place that writes, [Compare] the
// one that says what it would write.
//
// It may import its own internal packages: load fills the model, spec is the
// model, gogen and sqlgen emit from it. It never imports package runtime, nor
// anything that talks to a database.
package generator
