// Package generator turns a project's handlers into files: what command
// idemgen does, for a tool of one's own.
//
//	root, err := generator.Root(".")
//	files, err := generator.Generate(ctx, generator.Config{Dir: root})
//	result, err := generator.Write(root, files)
//
// [Root] finds the project that a directory belongs to. [Generate] computes
// every file and writes none: it loads idemgen.yaml, the directives and the
// packages, validates, emits, and type-checks in memory. [Write] is the one
// place that writes, all or nothing; [Compare] says what it would write, and
// is the check for CI.
//
// What the developer can mend comes as [Errors], all of it at once, each with
// its place and its cure. Other errors are the system's. Nothing here reads
// flags, prints or ends the process.
//
// [Explain] tells what is known of the handlers, [Watch] says when to generate
// again, [Init] begins a project, and [Schema] is for editors.
//
// It may import its own internal packages: load fills the model, spec is the
// model, gogen and sqlgen emit from it. Of package runtime it takes the limits
// of keys and nothing else, and it imports nothing that talks to a database.
package generator
