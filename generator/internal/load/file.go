package load

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/idemgen/idemgen/generator/internal/parallel"
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

// files parses each file once. Several may be at it at a time.
type files struct {
	root   string
	fset   *token.FileSet
	texts  map[string][]byte // what has been read
	mu     sync.Mutex
	parsed map[string]*file
}

func newFiles(root string) *files {
	return &files{root: root, fset: token.NewFileSet(), parsed: map[string]*file{}}
}

// read returns a file by its path.
func (fs *files) read(p string) (*file, error) { return fs.readAs(p, parser.ParseComments) }

// readAs returns a file, parsed in a mode if it has not been before.
func (fs *files) readAs(p string, mode parser.Mode) (*file, error) {
	if f := fs.known(p); f != nil {
		return f, nil
	}
	data, ok := fs.texts[p]
	if !ok {
		var err error
		if data, err = os.ReadFile(fs.absolute(p)); err != nil {
			return nil, err
		}
	}
	f := fs.parse(p, data, mode)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.parsed[p] = f
	return f, nil
}

// readAll returns files by their paths, each of which is there once.
func (fs *files) readAll(paths []string) ([]*file, error) {
	list := make([]*file, len(paths))
	err := parallel.Do(len(paths), func(i int) (err error) {
		list[i], err = fs.read(paths[i])
		return err
	})
	return list, err
}

// known returns a file that was parsed already, or nil.
func (fs *files) known(p string) *file {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.parsed[p]
}

// parse returns the file that a text is.
func (fs *files) parse(p string, data []byte, mode parser.Mode) *file {
	f := &file{path: p, data: data}
	syntax, err := parser.ParseFile(fs.fset, p, data, mode|parser.SkipObjectResolution)
	f.syntax = syntax
	f.tokens = fs.fset.File(syntax.FileStart)
	var list scanner.ErrorList
	if errors.As(err, &list) {
		end := len(bytes.TrimRight(data, "\r\n")) // behind which is no line
		for _, e := range list {
			// The position has gone through //line; its offset has not.
			f.errs.Add(f.pos(f.tokens.Pos(min(e.Pos.Offset, end))), "syntax error: "+e.Msg, "")
		}
	}
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

// absolute returns where the file of a path from the root lies.
func (fs *files) absolute(p string) string {
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) { // on another volume
		return p
	}
	return filepath.Join(fs.root, p)
}
