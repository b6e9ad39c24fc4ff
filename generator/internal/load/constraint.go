package load

import (
	"go/ast"
	"go/build"
	"go/build/constraint"
	"io"
	"strings"
)

// constraint returns the //go:build expression that says when a file is
// built: its own lines, its name, and cgo if it imports "C".
func (f *file) constraint() string {
	var all constraint.Expr
	for _, c := range f.conditions() {
		switch {
		case c.expr == nil:
		case all == nil:
			all = c.expr
		default:
			all = &constraint.AndExpr{X: all, Y: c.expr}
		}
	}
	if all == nil {
		return ""
	}
	return all.String()
}

// nameConstraint returns what a file's name says of the build, or nil:
// _linux, _amd64, _linux_amd64, with or without _test.
func nameConstraint(name string) constraint.Expr {
	words := strings.Split(strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test"), "_")[1:]
	n := len(words)
	switch {
	case n == 0:
		return nil
	case n > 1 && isOS(words[n-2]) && isArch(words[n-1]):
		return &constraint.AndExpr{X: &constraint.TagExpr{Tag: words[n-2]}, Y: &constraint.TagExpr{Tag: words[n-1]}}
	case isOS(words[n-1]), isArch(words[n-1]):
		return &constraint.TagExpr{Tag: words[n-1]}
	}
	return nil
}

// The lists of systems and architectures are go/build's own, and it does not
// show them. A word is on one if go/build reads it out of a file's name.

func isOS(word string) bool { return !builds("none", "amd64", "p_"+word+"_amd64.go") }

func isArch(word string) bool { return !builds(word, "none", "p_linux_"+word+".go") }

func builds(goos, goarch, name string) bool {
	return matches(build.Context{GOOS: goos, GOARCH: goarch, Compiler: "gc"}, name, "package p\n")
}

// matches reports whether a build takes a file.
func matches(ctx build.Context, name, text string) bool {
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	match, err := ctx.MatchFile("", name)
	return err == nil && match
}

func importsC(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` }
