// Package gogen writes the Go output: for every source file the wrappers,
// seams, key functions and fingerprints of its handlers (<file>_idem.go) and
// their race tests (<file>_idem_test.go), and once per handler the fixture
// that its developer fills in (<handler>_idem_fixture_test.go). A package has
// the list of its handlers' specs besides (idem_specs.go).
//
// The output reads as if written by hand. Above each statement that builds Go
// code stands the Go that it yields.
//
// Names are allocated in scopes, each in another one (scope.go): those that
// the output declares at package level over all files of a package
// (declare.go), a file's imports over the file (imports.go), parameters and
// local variables over a handler's functions in one file (locals.go). What the
// user named keeps its name; ours give way.
//
// Files are written by several workers at once. What they share, the model
// and the names at package level, is only read.
//
// It is the only importer of github.com/dave/jennifer, and imports package
// spec and the standard library besides.
package gogen
