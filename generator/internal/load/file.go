package load

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// file is a parsed Go file.
type file struct {
	path   string // slash-separated, relative to the root
	data   []byte
	tokens *token.File
	syntax *ast.File
	errs   spec.Errors // of syntax
}

func (f *file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// pos is a place in the file as it lies on disk: //line comments, which
// generators of parsers write, do not move it.
func (f *file) pos(p token.Pos) spec.Pos {
	at := f.tokens.PositionFor(p, false)
	return spec.Pos{File: f.path, Line: at.Line, Col: at.Column}
}

// files parses each file once.
type files struct {
	root   string
	fset   *token.FileSet
	parsed map[string]*file
}

func newFiles(root string) *files {
	return &files{root: root, fset: token.NewFileSet(), parsed: map[string]*file{}}
}

// read returns a file by its path.
func (fs *files) read(p string) (*file, error) {
	if f := fs.parsed[p]; f != nil {
		return f, nil
	}
	data, err := os.ReadFile(filepath.Join(fs.root, filepath.FromSlash(p)))
	if err != nil {
		return nil, err
	}
	return fs.parse(p, data), nil
}

// parse returns the file that a text is.
func (fs *files) parse(p string, data []byte) *file {
	f := &file{path: p, data: data}
	syntax, err := parser.ParseFile(fs.fset, p, data, parser.ParseComments|parser.SkipObjectResolution)
	f.syntax = syntax
	f.tokens = fs.fset.File(syntax.FileStart)
	var list scanner.ErrorList
	if errors.As(err, &list) {
		for _, e := range list {
			// The position has gone through //line; its offset has not.
			f.errs.Add(f.pos(f.tokens.Pos(e.Pos.Offset)), "syntax error: "+e.Msg, "")
		}
	}
	fs.parsed[p] = f
	return f
}

// at is a place in any file.
func (fs *files) at(p token.Pos) spec.Pos {
	at := fs.fset.PositionFor(p, false)
	return spec.Pos{File: at.Filename, Line: at.Line, Col: at.Column}
}

// relative returns the path of a file or directory from the root.
func (fs *files) relative(elem ...string) string {
	name := filepath.Join(elem...)
	if rel, err := filepath.Rel(fs.root, name); err == nil {
		name = rel
	}
	return path.Clean(filepath.ToSlash(name))
}
