package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"path"
	"slices"
	"strings"
)

// condition is something that a build has to meet to take a file.
type condition struct {
	expr  constraint.Expr // nil where it is wrong
	where string          // what says it, with its line
	wrong string          // in the go command's words
}

// conditions returns those of a file, as go/build finds them: those of the
// name, of an import of "C", and of lines above the package clause. Where
// there is a //go:build line, no // +build line counts.
func (f *file) conditions() []condition {
	var all []condition
	if expr := nameConstraint(path.Base(f.path)); expr != nil {
		all = append(all, condition{expr: expr, where: "its name"})
	}
	if i := slices.IndexFunc(f.syntax.Imports, importsC); i >= 0 {
		where := fmt.Sprintf(`the import of "C" in line %d`, f.pos(f.syntax.Imports[i].Pos()).Line)
		all = append(all, condition{expr: &constraint.TagExpr{Tag: "cgo"}, where: where})
	}
	lines := f.header(constraint.IsGoBuild, int(f.syntax.Package-f.syntax.FileStart))
	if len(lines) == 0 {
		lines = f.header(constraint.IsPlusBuild, f.plusBuildEnd())
	}
	for i, c := range lines {
		more := condition{where: fmt.Sprintf("line %d", f.pos(c.Slash).Line)}
		expr, err := constraint.Parse(c.Text)
		switch {
		case constraint.IsPlusBuild(c.Text) && err != nil:
			continue // which go/build does, too
		case err != nil:
			more.wrong = "parsing //go:build line: " + err.Error()
		case i > 0 && constraint.IsGoBuild(c.Text):
			more.wrong = "multiple //go:build comments"
		default:
			more.expr = expr
		}
		all = append(all, more)
	}
	return all
}

// header returns the comments of a kind above an offset that begin their
// lines.
func (f *file) header(kind func(line string) bool, end int) []*ast.Comment {
	var found []*ast.Comment
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if f.tokens.Offset(c.Slash) < end && kind(c.Text) && !f.followsCode(c) {
				found = append(found, c)
			}
		}
	}
	return found
}

// plusBuildEnd returns the offset that // +build lines have to stand above:
// that of the last blank line among those that begin the file and are blank or
// comments of //.
func (f *file) plusBuildEnd() int {
	end, at := 0, 0
	for line := range bytes.Lines(f.data) {
		at += len(line)
		text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(text) == 0 {
			end = at
		} else if !bytes.HasPrefix(text, []byte("//")) {
			break
		}
	}
	return end
}

const excludedCure = "declare the handler in a file that every build takes, and call from it what differs between builds; " +
	"or run with GOOS, GOARCH, CGO_ENABLED or GOFLAGS=-tags=... set so that this file is built"

// leftOut says why the build does not take a file, and how to mend it.
func (f *file) leftOut() (reason, cure string) {
	var unmet, all []string
	ctx := buildContext()
	for _, c := range f.conditions() {
		if c.wrong != "" {
			return c.where + ": " + c.wrong, "mend that line"
		}
		said := c.where + ": " + c.expr.String()
		all = append(all, said)
		if !matches(ctx, "p.go", "//go:build "+c.expr.String()+"\n\npackage p\n") {
			unmet = append(unmet, said)
		}
	}
	switch {
	case unmet != nil:
		return strings.Join(unmet, ", "), excludedCure
	case f.syntax.Name.Name == "documentation":
		return "by its package clause, which the go command takes for no package's", "move the function to a file of the package"
	}
	// Which of them it is depends on what the go command alone knows.
	return strings.Join(all, ", "), excludedCure
}

// buildContext is the build that the go command is told to make.
func buildContext() build.Context {
	ctx := build.Default
	for name, into := range map[string]*string{"GOOS": &ctx.GOOS, "GOARCH": &ctx.GOARCH} {
		if value := goEnv(name); value != "" {
			*into = value
		}
	}
	if value := goEnv("CGO_ENABLED"); value != "" {
		ctx.CgoEnabled = value == "1"
	}
	ctx.BuildTags = strings.FieldsFunc(goFlag("tags"), func(r rune) bool { return r == ',' || r == ' ' })
	return ctx
}
