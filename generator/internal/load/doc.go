// Package load makes a [spec.Spec] of a project: it finds the project's
// root, reads idemgen.yaml, finds the //idem: directives, and type-checks the
// packages that have any, in memory and without what idemgen is about to
// write. Everything that is wrong comes at once, as [spec.Errors].
//
// A directive counts where it stands in the doc comment of a function or a
// method, in a file that the current build takes. Anywhere else it is an
// error, never silence.
//
// The go command is asked twice: for the files and imports of the annotated
// packages and what lies below them, and for the export data of what they
// import. It never compiles a package that the missing output may keep from
// compiling: annotated ones, ones with output of ours, and all that import
// such a package are type-checked from source, without that output. That
// holds for packages of other projects too, if they lie on this disk.
//
// The package imports spec, gopkg.in/yaml.v3 and golang.org/x/tools.
package load
