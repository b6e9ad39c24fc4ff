package load

import (
	"go/ast"
	"go/build"
	"go/build/constraint"
	"io"
	"path"
	"slices"
	"strings"
)

// constraint returns the //go:build expression that says when a file is
// built: its own line, its name, and cgo if it imports "C".
func (f *file) constraint() string {
	all := nameConstraint(path.Base(f.path))
	if slices.ContainsFunc(f.syntax.Imports, importsC) {
		all = append(all, &constraint.TagExpr{Tag: "cgo"})
	}
	if own := f.buildLine(); own != nil {
		all = append(all, own)
	}
	if len(all) == 0 {
		return ""
	}
	expr := all[0]
	for _, more := range all[1:] {
		expr = &constraint.AndExpr{X: expr, Y: more}
	}
	return expr.String()
}

// buildLine returns the expression of the file's //go:build line, or nil.
func (f *file) buildLine() constraint.Expr {
	for _, group := range f.syntax.Comments {
		if group.Pos() > f.syntax.Package {
			break
		}
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil {
				return expr
			}
		}
	}
	return nil
}

// nameConstraint returns what a file's name says of the build: _linux,
// _amd64, _linux_amd64, with or without _test.
func nameConstraint(name string) []constraint.Expr {
	words := strings.Split(strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test"), "_")[1:]
	n := len(words)
	switch {
	case n == 0:
		return nil
	case n > 1 && isOS(words[n-2]) && isArch(words[n-1]):
		return []constraint.Expr{&constraint.TagExpr{Tag: words[n-2]}, &constraint.TagExpr{Tag: words[n-1]}}
	case isOS(words[n-1]), isArch(words[n-1]):
		return []constraint.Expr{&constraint.TagExpr{Tag: words[n-1]}}
	}
	return nil
}

// The lists of systems and architectures are go/build's own, and it does not
// show them. A word is on one if go/build reads it out of a file's name.

func isOS(word string) bool { return !builds("none", "amd64", "p_"+word+"_amd64.go") }

func isArch(word string) bool { return !builds(word, "none", "p_linux_"+word+".go") }

func builds(goos, goarch, name string) bool {
	ctx := build.Context{
		GOOS: goos, GOARCH: goarch, Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
	}
	match, err := ctx.MatchFile("", name)
	return err == nil && match
}

func importsC(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` }
