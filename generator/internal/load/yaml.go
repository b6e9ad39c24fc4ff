package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// maxYAML is the size of a file that is read: room for some thousands of
// handlers.
const maxYAML = 1 << 20

// yamlReader reads one document strictly and keeps what is wrong.
type yamlReader struct {
	*yamlText
	errs   spec.Errors
	merged int // keys that << has given
}

func newYAMLReader(file string, data []byte) *yamlReader {
	return &yamlReader{yamlText: newYAMLText(file, data)}
}

// document returns the value of the file's one document, or nil when it has
// none that could be read.
func (r *yamlReader) document() *yaml.Node {
	if !r.readable() {
		return nil
	}
	docs, err := decodeYAML(bytes.NewReader(r.data))
	if len(docs) > 0 && isNull(docs[0]) && err == nil {
		docs = nil
	}
	switch {
	case err != nil:
		r.syntaxError(err)
		return nil
	case docs == nil:
		r.addAt(0, "the configuration is empty", "write version: 1, or remove the file")
		return nil
	case len(docs) > 1:
		r.addAt(r.documentStart(docs[1]), "a second document begins here", "keep one document in the file")
	}
	return docs[0]
}

// readable reports whether the parser may have the file at all.
func (r *yamlReader) readable() bool {
	if len(r.data) > maxYAML {
		r.addAt(0, fmt.Sprintf("the file has %d bytes, which is too much", len(r.data)),
			fmt.Sprintf("keep it below %d bytes; directives declare handlers, too", maxYAML))
		return false
	}
	at := r.badCharacter()
	if at >= 0 {
		r.addAt(at, fmt.Sprintf("not YAML: the byte %#02x is no text", r.data[at]), "write the file in UTF-8, without control characters")
	}
	return at < 0
}

// decodeYAML returns the values of the first two documents of a text. What
// the parser panics over is an error.
func decodeYAML(text io.Reader) (docs []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	dec := yaml.NewDecoder(text)
	for len(docs) < 2 {
		doc := new(yaml.Node)
		if err := dec.Decode(doc); errors.Is(err, io.EOF) {
			return docs, nil
		} else if err != nil {
			return docs, err
		}
		docs = append(docs, doc.Content[0])
	}
	return docs, nil
}

// documentStart returns the place of the --- that stands before a node.
func (r *yamlReader) documentStart(n *yaml.Node) int {
	for line := min(n.Line, len(r.lines)); line > 0; line-- {
		if strings.HasPrefix(r.text(line), "---") {
			return r.lines[line-1]
		}
	}
	return r.at(n)
}

// at is the offset of a node.
func (r *yamlReader) at(n *yaml.Node) int { return r.offset(n.Line, n.Column) }

func (r *yamlReader) nodePos(n *yaml.Node) spec.Pos { return r.pos(r.at(n)) }

func (r *yamlReader) addAt(at int, msg, cure string) { r.errs.Add(r.pos(at), msg, cure) }

func (r *yamlReader) add(n *yaml.Node, msg, cure string) { r.addAt(r.at(n), msg, cure) }

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

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

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
	case isText(n) || strconv.Quote(n.Value) != `"`+n.Value+`"`:
		return fmt.Sprintf("the text %q", n.Value)
	}
	return n.Value
}
