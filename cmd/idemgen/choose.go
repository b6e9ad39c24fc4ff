package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

// chosen returns the handlers that any of the arguments means; without
// arguments, all. An argument that means none is an error.
func (p project) chosen(dir string, args []string, handlers []generator.Handler) ([]generator.Handler, error) {
	if len(args) == 0 {
		return handlers, nil
	}
	picked := make([]bool, len(handlers))
	var errs []error
	for _, arg := range args {
		meant := false
		for i, h := range handlers {
			if p.means(dir, arg, h) {
				picked[i], meant = true, true
			}
		}
		if !meant {
			errs = append(errs, unknown(arg, handlers))
		}
	}
	var found []generator.Handler
	for i, h := range handlers {
		if picked[i] {
			found = append(found, h)
		}
	}
	return found, errors.Join(errs...)
}

// means reports whether an argument means a handler: by its name, its
// namespace, its package, or both package and name.
func (p project) means(dir, arg string, h generator.Handler) bool {
	names := namesOf(h)
	if arg == h.Namespace || slices.Contains(names, arg) {
		return true
	}
	pkg, of := h.Package, h.Package+"."
	if isPath(arg) {
		arg, pkg, of = p.inProject(dir, arg), h.Dir, h.Dir+"."
		if h.Dir == "." {
			of = "."
		}
	}
	name, found := strings.CutPrefix(arg, of)
	return matches(arg, pkg) || found && slices.Contains(names, name)
}

// namesOf returns what the function may be called: a method with its receiver
// in any spelling, or without.
func namesOf(h generator.Handler) []string {
	recv, method, ok := strings.Cut(h.Name, ".")
	if !ok {
		return []string{h.Name}
	}
	return []string{h.Name, method, "(" + recv + ")." + method, "(*" + recv + ")." + method}
}

// isPath reports what begins with a directory, not with an import path.
func isPath(arg string) bool {
	return strings.HasPrefix(arg, ".") && !strings.HasPrefix(arg, "...") || filepath.IsAbs(arg)
}

// inProject returns a path as seen from the root.
func (p project) inProject(dir, arg string) string {
	full := filepath.FromSlash(arg)
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, full)
	}
	full, err := filepath.Abs(full)
	if err != nil {
		return arg
	}
	rel, err := filepath.Rel(p.root, full)
	if err != nil {
		return arg
	}
	return filepath.ToSlash(rel)
}

// matches reports whether a pattern means a package: ./jobs/... the one and
// all below it.
func matches(pattern, pkg string) bool {
	prefix, all := strings.CutSuffix(pattern, "...")
	dir, below := strings.CutSuffix(prefix, "/")
	return pattern == pkg || all && (strings.HasPrefix(pkg, prefix) || below && pkg == dir)
}

// unknown says that an argument means nothing, and what may be meant.
func unknown(arg string, handlers []generator.Handler) error {
	if near := nearest(arg, candidates(handlers)); near != "" {
		return fmt.Errorf("no handler and no package with one is called %q; did you mean %s?", arg, near)
	}
	return fmt.Errorf("no handler and no package with one is called %q; idemgen explain without arguments tells of all there are", arg)
}

// candidates returns what handlers and their packages are called.
func candidates(handlers []generator.Handler) []string {
	var names []string
	for _, h := range handlers {
		dir := "."
		if h.Dir != "." {
			dir = "./" + h.Dir
		}
		names = append(names, h.Name, h.Namespace, dir, h.Package)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// completeHandlers returns what an argument may be. Where the project has
// errors, a shell is not the place to tell.
func (o *options) completeHandlers(cmd *cobra.Command, args []string) []cobra.Completion {
	_, handlers, err := o.handlers(cmd)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(candidates(handlers), func(name string) bool { return slices.Contains(args, name) })
}
