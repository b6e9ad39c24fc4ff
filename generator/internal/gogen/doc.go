// Package gogen writes the Go output: for every source file the wrappers, seams
// and key functions of its handlers (<file>_idem.go) and their race tests
// (<file>_idem_test.go), and once per handler the fixture that its developer
// fills in (<handler>_idem_fixture_test.go).
//
// The output reads as if written by hand. Above each statement that builds Go
// code stands the Go that it yields.
//
// Names have one owner each. The names that the output declares at package
// level are allocated over all files of a package (declare.go), a file's
// imports over the file (imports.go), parameters and local variables over a
// handler's functions in one file (locals.go); each knows the ones above it.
// What the user named keeps its name; ours give way.
//
// It is the only importer of github.com/dave/jennifer, and imports package
// spec and the standard library besides.
package gogen
