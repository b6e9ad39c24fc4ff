package load

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// required is the default of a field that has to be there.
const required = "required"

// field is a key that a map may have: what reads its value, and what the
// schema and the reference say of it.
type field struct {
	spec.Field
	schema  *schema // of the value; nil for a map
	fields  []field // of a map
	missing string  // the cure where a required one is missing
	read    func(pair)
}

// readFields reads a map of known keys and returns the values that are given,
// also under a name that a known one was meant by.
func (r *yamlReader) readFields(n *yaml.Node, what string, known []field) map[string]*yaml.Node {
	m := resolve(n)
	if m.Kind != yaml.MappingNode {
		r.wrongType(n, "a map", "write "+what+" as keys with values")
		return nil
	}
	names := make([]string, len(known))
	byName := map[string]field{}
	for i, f := range known {
		names[i] = f.Name
		byName[f.Name] = f
	}
	given := map[string]*yaml.Node{}
	for _, p := range r.pairs(m, nil) {
		name := p.key.Value
		f, ok := byName[name]
		if !ok {
			if meant := spec.Suggest(name, names); given[meant] == nil {
				given[meant] = p.value
			}
			r.add(p.key, fmt.Sprintf("unknown key %q in %s", name, what), suggestion(name, names, "the keys are "))
			continue
		}
		given[name] = p.value
		r.readField(f, p)
	}
	for _, f := range known {
		if f.Default == required && given[f.Name] == nil {
			r.add(n, fmt.Sprintf("the %s is missing", f.Name), f.missing)
		}
	}
	return given
}

func (r *yamlReader) readField(f field, p pair) {
	if f.fields != nil {
		r.readFields(p.value, f.Name, f.fields)
	}
	if f.read != nil {
		f.read(p)
	}
}

// readText reads a text. Want says what is wanted, and cure how to write it.
func (r *yamlReader) readText(n *yaml.Node, want, cure string) (string, bool) {
	v := resolve(n)
	if !isText(v) {
		r.wrongType(n, want, cure)
		return "", false
	}
	return v.Value, true
}

// readInteger reads a whole number.
func (r *yamlReader) readInteger(n *yaml.Node, want, cure string) (int, bool) {
	v := resolve(n)
	// YAML would take 012 for ten, and a directive does not.
	i, err := strconv.Atoi(v.Value)
	if err != nil {
		err = v.Decode(&i)
	}
	if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!int" || err != nil {
		r.wrongType(n, want, cure)
		return 0, false
	}
	return i, true
}

// oneOf reads a text that has to be one of a few.
func (r *yamlReader) oneOf(n *yaml.Node, what string, values ...string) (string, bool) {
	v, ok := r.readText(n, "a "+what, "write one of "+strings.Join(values, ", "))
	if !ok {
		return "", false
	}
	for _, value := range values {
		if v == value {
			return v, true
		}
	}
	r.add(n, fmt.Sprintf("unknown %s %q", what, v), suggestion(v, values, "write one of "))
	return "", false
}

// wrongType reports a value of another type than wanted. A tag makes it one
// whatever the value is.
func (r *yamlReader) wrongType(n *yaml.Node, want, cure string) {
	if v := resolve(n); v.Style&yaml.TaggedStyle != 0 {
		r.add(n, fmt.Sprintf("the tag %s stands where %s is wanted", v.ShortTag(), want), tagCure)
		return
	}
	r.add(n, fmt.Sprintf("%s where %s is wanted", describe(n), want), cure)
}

// placed returns a text without the space around it, its place, and whether
// places in it cannot be told from it.
func (r *yamlReader) placed(n *yaml.Node) (text string, at spec.Pos, fixed bool) {
	value := resolve(n).Value
	text = strings.Trim(value, blanks)
	if n.Kind == yaml.AliasNode {
		return text, r.nodePos(n), true
	}
	start := r.content(r.at(n))
	if text == "" {
		return text, r.nodePos(n), true
	}
	space := len(value) - len(strings.TrimLeft(value, blanks)) // which in a block is above it
	for _, at := range []int{min(start+space, len(r.data)), start} {
		if bytes.HasPrefix(r.data[at:], []byte(text)) && !strings.ContainsAny(text, "\r\n") {
			return text, r.pos(at), false
		}
	}
	return text, r.pos(start), true
}

const blanks = " \t\r\n"
