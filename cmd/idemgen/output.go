package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

// output is generate or check: what the flags say, and how it tells what it
// did.
type output struct {
	*options
	format   string
	diff     bool
	dryRun   bool
	watching bool
	project  project
}

// work is what generate or check does once. It notes in the document what is
// there to tell, but for the error.
type work func(*cobra.Command, *document) (generator.Result, error)

// flags adds those that generate and check have in common.
func (o *output) flags(cmd *cobra.Command) {
	formatFlag(cmd, &o.format)
	cmd.Flags().BoolVar(&o.watching, "watch", false, "run again whenever a file of the project changes, until Ctrl-C")
}

// contradiction returns what is wrong with the flags together.
func (o *output) contradiction(cmd *cobra.Command) error {
	switch {
	case o.watching && o.format == "sarif":
		return errors.New("--format sarif is one document, and --watch has no end; use --format json, which then has a document a line")
	case o.diff && cmd.Flags().Changed("diff") && (o.format == "sarif" || o.format == "github"):
		return fmt.Errorf("--format %s has no room for diffs; leave out --diff, or use --format text or json", o.format)
	}
	return nil
}

// run does the work, once or at every change.
func (o *output) run(cmd *cobra.Command, do work) error {
	show, err := formatOf(o.format)
	if err == nil {
		err = o.contradiction(cmd)
	}
	if err != nil {
		return err
	}
	o.project.root, err = generator.Root(o.dir)
	switch {
	case err != nil:
		return o.tell(cmd, show, newDocument(), err)
	case o.watching:
		return o.watch(cmd, show, do)
	}
	doc := newDocument()
	_, err = do(cmd, doc)
	return o.tell(cmd, show, doc, err)
}

// tell prints the document, with the error in it, and returns what becomes
// the exit code.
func (o *output) tell(cmd *cobra.Command, show format, doc *document, err error) error {
	doc.Errors = append(doc.Errors, problems(o.project.wrap(err))...)
	if err := show.print(cmd, o, doc); err != nil {
		return err
	}
	return o.end(doc)
}

// end returns the exit code. What a dry run would do is no finding.
func (o *output) end(doc *document) error {
	switch {
	case len(doc.Errors) > 0:
		return ended(exitTrouble)
	case doc.findings() > 0 && !o.dryRun:
		return ended(exitFindings)
	}
	return nil
}

// watch does the work again and again. No error of the project's ends it, but
// it ends when nobody can read any more what it prints.
func (o *output) watch(cmd *cobra.Command, show format, do work) error {
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	err := generator.Watch(ctx, o.project.root, func() generator.Result {
		doc := newDocument()
		done, err := do(cmd, doc)
		if errors.Is(err, context.Canceled) {
			return done
		}
		var code ended
		if err := o.tell(cmd, show, doc, err); err != nil && !errors.As(err, &code) {
			cancel(err)
		}
		return done
	})
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

// load computes the project's files. It notes when there is no handler, which
// is more often a mistake than meant.
func (o *output) load(cmd *cobra.Command, doc *document) ([]generator.File, error) {
	files, err := generator.Generate(cmd.Context(), generator.Config{
		Dir:    o.project.root,
		Stage:  o.stage(cmd),
		Notice: func(e *generator.Error) { doc.Notices = append(doc.Notices, o.project.problem(e)) },
	})
	if err == nil && !hasHandlers(files) {
		doc.Notices = append(doc.Notices, o.project.noHandler())
	}
	return files, err
}

// compare notes how the tree differs from what it should be.
func (o *output) compare(doc *document, files []generator.File) error {
	found, err := generator.Compare(o.project.root, files)
	differs := map[string]bool{}
	for _, d := range found {
		differs[d.Path] = true
		o.note(doc, status(d.Kind), d.Path, d.Diff)
	}
	for _, f := range files {
		if err == nil && !differs[f.Path] {
			o.note(doc, statusUnchanged, f.Path, "")
		}
	}
	return err
}

// note notes a file, with its diff if that is wanted.
func (o *output) note(doc *document, is status, name, diff string) {
	if !o.diff {
		diff = ""
	}
	doc.Files = append(doc.Files, file{Path: o.project.rel(name), Status: is, Diff: diff})
}
