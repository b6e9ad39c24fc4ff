package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// yamlReader reads one document strictly and keeps what is wrong.
type yamlReader struct {
	file string
	data []byte // without a byte order mark
	errs spec.Errors
}

func newYAMLReader(file string, data []byte) *yamlReader {
	return &yamlReader{file: file, data: bytes.TrimPrefix(data, []byte("\ufeff"))}
}

// document returns the value of the file's one document, or nil when it has
// none that could be read.
func (r *yamlReader) document() *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(r.data))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && isNull(doc.Content[0]) {
		r.errs.Add(spec.Pos{File: r.file, Line: 1, Col: 1}, "the configuration is empty", "write version: 1, or remove the file")
		return nil
	}
	if err == nil {
		err = dec.Decode(&second)
	}
	switch {
	case err == nil:
		r.errs.Add(r.documentStart(second.Content[0]), "a second document begins here", "keep one document in the file")
	case !errors.Is(err, io.EOF):
		r.syntaxError(err)
		return nil
	}
	return doc.Content[0]
}

// documentStart returns the place of the --- that stands before a node.
func (r *yamlReader) documentStart(n *yaml.Node) spec.Pos {
	for line := n.Line; line > 0; line-- {
		if strings.HasPrefix(r.line(line), "---") {
			return spec.Pos{File: r.file, Line: line, Col: 1}
		}
	}
	return r.pos(n)
}

// syntaxError finds the place of a syntax error: the parser's own has no
// column, and its line is often one off.
func (r *yamlReader) syntaxError(err error) {
	lines := bytes.SplitAfter(r.data, []byte("\n"))
	if r.tabs(lines) {
		return
	}
	n := firstBadLine(lines)
	text := string(lines[n-1])
	indent := len(text) - len(strings.TrimLeft(text, " "))
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	if _, rest, ok := strings.Cut(msg, ": "); ok && strings.HasPrefix(msg, "line ") {
		msg = rest
	}
	r.errs.Add(spec.Pos{File: r.file, Line: n, Col: indent + 1}, "not YAML: "+msg, "mend the line, or the one above")
}

// tabs reports the lines that are indented by tabs.
func (r *yamlReader) tabs(lines [][]byte) bool {
	found := false
	for i, line := range lines {
		rest := bytes.TrimLeft(line, " ")
		if !bytes.HasPrefix(rest, []byte("\t")) {
			continue
		}
		found = true
		r.errs.Add(spec.Pos{File: r.file, Line: i + 1, Col: len(line) - len(rest) + 1},
			"a tab in the indentation", "indent with spaces")
	}
	return found
}

// firstBadLine returns the number of the first line from which on no more of
// the file parses.
func firstBadLine(lines [][]byte) int {
	for n := len(lines); n > 1; n-- {
		if parses(bytes.Join(lines[:n-1], nil)) {
			return n
		}
	}
	return 1
}

func parses(data []byte) bool {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// line returns the text of a line, by its number from 1.
func (r *yamlReader) line(n int) string {
	lines := bytes.Split(r.data, []byte("\n"))
	if n < 1 || n > len(lines) {
		return ""
	}
	return string(lines[n-1])
}

// pos is the place of a node. The parser counts characters where we count
// bytes.
func (r *yamlReader) pos(n *yaml.Node) spec.Pos {
	col, rest := 1, r.line(n.Line)
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(rest)
		col, rest = col+max(1, size), rest[size:]
	}
	return spec.Pos{File: r.file, Line: n.Line, Col: col}
}

func (r *yamlReader) add(n *yaml.Node, msg, cure string) { r.errs.Add(r.pos(n), msg, cure) }

// addError gives an error that has no place the node's; nil is none.
func (r *yamlReader) addError(n *yaml.Node, err *spec.Error) {
	if err != nil {
		r.add(n, err.Msg, err.Cure)
	}
}

// resolve returns what an alias stands for, and any other node as it is.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// describe says what a node is, for an error about its type.
func describe(n *yaml.Node) string {
	n = resolve(n)
	switch {
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n):
		return "nothing"
	case n.ShortTag() == "!!str":
		return fmt.Sprintf("the text %q", n.Value)
	}
	return n.Value
}
