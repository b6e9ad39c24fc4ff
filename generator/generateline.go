package generator

import (
	"context"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/generator/internal/load"
)

// command returns what runs idemgen in a project: the tool of its go.mod,
// that of a tools/go.mod beside it, or else what lies on the path.
func (m module) command(ctx context.Context, root string) string {
	const toolsName = "tools/go.mod"
	if m.hasTool() {
		return "go tool idemgen"
	}
	if exists(m.dir, toolsName) {
		tools, err := parseModule(ctx, m.dir, filepath.FromSlash(toolsName))
		rel, _ := filepath.Rel(root, filepath.Join(m.dir, toolsName))
		if err == nil && tools.hasTool() {
			return "go tool -modfile=" + filepath.ToSlash(rel) + " idemgen"
		}
	}
	return onPath
}

// onPath is the command where no go.mod names the tool.
const onPath = "idemgen"

// generateLine is a line by which go generate runs idemgen generate, however
// that is found.
var generateLine = regexp.MustCompile(`(?m)^//go:generate[ \t].*\bidemgen(@\S*)?[ \t](.*[ \t])?generate\b`)

// hasGenerateLine reports whether a Go file of the project has such a line.
func hasGenerateLine(root string) (bool, error) {
	found := false
	err := load.Walk(root, os.DirFS(root), func(name string, entry fs.DirEntry) error {
		if path.Ext(name) != ".go" || !entry.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if generateLine.Match(data) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// packageName returns the name of the package in a directory, or one made of
// its import path.
func packageName(dir, importPath string) string {
	// What is wrong with the package is of no interest here: with an error
	// comes the name as far as it is known.
	p, _ := build.ImportDir(dir, 0)
	if p.Name != "" {
		return p.Name
	}
	for _, name := range p.IgnoredGoFiles {
		if found := clause(filepath.Join(dir, name)); found != "" && !strings.HasSuffix(name, "_test.go") {
			return found
		}
	}
	return nameOf(importPath)
}

// clause returns the name of the package that a file belongs to in some other
// build: "" for those that say ignore and are in none.
func clause(name string) string {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return ""
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			expr, err := constraint.Parse(c.Text)
			if err == nil && !expr.Eval(func(tag string) bool { return tag != "ignore" }) {
				return ""
			}
		}
	}
	return file.Name.Name
}

var versionSuffix = regexp.MustCompile(`(/v[0-9]+|\.v[0-9]+)$`)

// nameOf makes a package name of an import path: shop of example.com/shop/v2.
func nameOf(importPath string) string {
	base := path.Base(versionSuffix.ReplaceAllString(importPath, ""))
	name := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, base)
	name = strings.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	// A package main has to have a function of that name.
	if !token.IsIdentifier(name) || name == "main" {
		return "app"
	}
	return name
}
