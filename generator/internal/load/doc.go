// Package load makes a [spec.Spec] of a project: it finds the project's
// root, reads idemgen.yaml, finds the //idem: directives, and type-checks the
// packages that have a handler, in memory and without what idemgen is about to
// write. Everything that is wrong comes at once, as [spec.Errors].
//
// A directive counts where it stands in the doc comment of a function or a
// method, in a file that the current build takes. Anywhere else it is an
// error, never silence. A function that idemgen.yaml names counts as if the
// fields of its entry stood above it.
//
// Loading changes no file: where -mod=mod lets the go command write go.mod, it
// is given a copy.
//
// The go command is asked twice: for the files and imports of the annotated
// packages and what lies below them, and for the export data of what they
// import from elsewhere. It does not compile what somebody works on here, be
// it in the module, in the workspace or behind a replacement by a directory,
// so that a run costs the same whatever was edited, and output that is missing
// or stale is in nobody's way. The annotated packages are type-checked from
// source, without that output; of those that they import, the declarations,
// as far as they are needed. Packages that use cgo are compiled by the go
// command, where their imports are whole.
//
// The package imports spec, gopkg.in/yaml.v3 and golang.org/x/tools.
package load
