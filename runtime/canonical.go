package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// canonical writes JSON so that two texts of one value are the same bytes:
// without white space, the properties of objects sorted, and each character
// of a string in one way. Numbers stay as they are written.
//
// encoding/json checks the syntax and does not read the values: it reads all
// bytes that are not UTF-8, and all lone surrogates, as one and the same.
func canonical(data []byte) ([]byte, error) {
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
		return nil, err
	}
	c := canon{in: data}
	v, err := c.value()
	if err != nil {
		return nil, err
	}
	return v.append(make([]byte, 0, len(data))), nil
}

// node is a JSON value in its canonical form: its text, or, where that would be
// copied too often on the way up, the items that it is made of.
type node struct {
	text  []byte
	open  byte // { or [ of what has items
	items []item
	bytes int // of the items
}

// flat is how many bytes are copied on the way up rather than kept apart.
const flat = 256

// item is a property, or some elements of an array.
type item struct {
	name  []byte
	value node
}

// add adds an item. The elements of an array that are texts make one text, or
// each would cost many times its size.
func (n *node) add(i item) {
	n.bytes += len(i.name) + len(i.value.text) + i.value.bytes
	if last := len(n.items) - 1; n.open == '[' && last >= 0 && n.items[last].value.open == 0 && i.value.open == 0 {
		text := &n.items[last].value.text
		*text = append(append(*text, ','), i.value.text...)
		return
	}
	n.items = append(n.items, i)
}

func (n node) append(out []byte) []byte {
	if n.open == 0 {
		return append(out, n.text...)
	}
	out = append(out, n.open)
	for i, item := range n.items {
		if i > 0 {
			out = append(out, ',')
		}
		if n.open == '{' {
			out = append(append(out, item.name...), ':')
		}
		out = item.value.append(out)
	}
	if n.open == '{' {
		return append(out, '}')
	}
	return append(out, ']')
}

// canon reads JSON whose syntax is known to be right.
type canon struct {
	in []byte
	at int
}

// next passes over white space and returns the byte after it.
func (c *canon) next() byte {
	for c.in[c.at] == ' ' || c.in[c.at] == '\t' || c.in[c.at] == '\n' || c.in[c.at] == '\r' {
		c.at++
	}
	return c.in[c.at]
}

func (c *canon) value() (node, error) {
	switch c.next() {
	case '{', '[':
		return c.composite()
	case '"':
		return node{text: c.string()}, nil
	}
	start := c.at
	for c.at < len(c.in) && !strings.ContainsRune(",]} \t\n\r", rune(c.in[c.at])) {
		c.at++
	}
	return node{text: slices.Clip(c.in[start:c.at])}, nil
}

func (c *canon) composite() (n node, err error) {
	n.open = c.in[c.at]
	c.at++
	for c.next() != '}' && c.in[c.at] != ']' {
		if c.in[c.at] == ',' {
			c.at++
			c.next()
		}
		var i item
		if n.open == '{' {
			i.name = c.string()
			c.next()
			c.at++ // :
		}
		if i.value, err = c.value(); err != nil {
			return node{}, err
		}
		n.add(i)
	}
	c.at++
	if n.open == '{' {
		err = sortProperties(n.items)
	}
	if err == nil && n.bytes <= flat {
		return node{text: n.append(nil)}, nil
	}
	return n, err
}

func sortProperties(items []item) error {
	slices.SortFunc(items, func(a, b item) int { return bytes.Compare(a.name, b.name) })
	for i := 1; i < len(items); i++ {
		if bytes.Equal(items[i].name, items[i-1].name) {
			return fmt.Errorf("two properties %.40s in one object", items[i].name)
		}
	}
	return nil
}

// string returns a string as its characters, in quotes.
func (c *canon) string() []byte {
	start := c.at
	var out []byte // if it is not what was read
	for c.at++; c.in[c.at] != '"'; c.at++ {
		switch {
		case c.in[c.at] == '\\':
			if out == nil {
				out = append(out, c.in[start:c.at]...)
			}
			c.at++
			out = c.escaped(out)
		case out != nil:
			out = append(out, c.in[c.at])
		}
	}
	c.at++
	if out == nil {
		return slices.Clip(c.in[start:c.at])
	}
	return append(out, '"')
}

// escaped appends what an escape stands for, and stops at its last byte. Half
// of a surrogate pair, which no character is, stays an escape.
func (c *canon) escaped(out []byte) []byte {
	if c.in[c.at] != 'u' {
		return appendCharacter(out, escapes[c.in[c.at]])
	}
	unit := codeUnit(c.in[c.at+1:])
	c.at += len("XXXX")
	if !utf16.IsSurrogate(unit) {
		return appendCharacter(out, unit)
	}
	if second, ok := bytes.CutPrefix(c.in[c.at+1:], []byte(`\u`)); ok {
		if char := utf16.DecodeRune(unit, codeUnit(second)); char != utf8.RuneError {
			c.at += len(`\uXXXX`)
			return utf8.AppendRune(out, char)
		}
	}
	return fmt.Appendf(out, `\u%04x`, unit)
}

var escapes = map[byte]rune{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

func codeUnit(digits []byte) rune {
	unit, _ := strconv.ParseUint(string(digits[:4]), 16, 16) // the syntax is right
	return rune(unit)
}

// appendCharacter escapes what cannot stand for itself in a string.
func appendCharacter(out []byte, char rune) []byte {
	switch {
	case char == '"', char == '\\':
		out = append(out, '\\')
	case char < ' ':
		return fmt.Appendf(out, `\u%04x`, char)
	}
	return utf8.AppendRune(out, char)
}
