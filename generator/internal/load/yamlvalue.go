package load

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// field is a key that a map may have, and what reads its value.
type field struct {
	name string
	read func(*yaml.Node)
}

// fields reads a map of known keys and returns the values that are given.
func (r *yamlReader) fields(n *yaml.Node, what string, known []field) map[string]*yaml.Node {
	m := resolve(n)
	if m.Kind != yaml.MappingNode {
		r.wrongType(n, "a map", "write "+what+" as keys with values")
		return nil
	}
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = f.name
	}
	given := map[string]*yaml.Node{}
	for _, p := range r.pairs(m, nil) {
		i := slices.Index(names, p.key.Value)
		if i < 0 {
			r.add(p.key, fmt.Sprintf("unknown key %q in %s", p.key.Value, what), suggestion(p.key.Value, names, "the keys are "))
			continue
		}
		given[names[i]] = p.value
		known[i].read(p.value)
	}
	return given
}

// pair is a key of a map with its value.
type pair struct{ key, value *yaml.Node }

// pairs returns the pairs of a map: its own, then the merged ones that it
// does not override. Within are the maps that are being merged.
func (r *yamlReader) pairs(m *yaml.Node, within []*yaml.Node) []pair {
	var own, merged []pair
	first := map[string]*yaml.Node{}
	for i := 0; i < len(m.Content); i += 2 {
		p := pair{m.Content[i], m.Content[i+1]}
		name := resolve(p.key)
		if name.Kind != yaml.ScalarNode {
			r.add(p.key, "a key is "+describe(p.key), "write a plain word")
			continue
		}
		if before := first[name.Value]; before != nil {
			r.add(p.key, fmt.Sprintf("the key %q is given twice, first at %s", name.Value, r.pos(before)), "remove one of the two")
			continue
		}
		first[name.Value] = p.key
		if isMerge(p.key) {
			merged = append(merged, r.merge(p.value, append(within, m))...)
			continue
		}
		own = append(own, pair{name, p.value})
	}
	return appendMissing(own, merged)
}

func isMerge(key *yaml.Node) bool { return key.Value == "<<" && key.ShortTag() == "!!merge" }

// merge returns the pairs of the maps behind a <<.
func (r *yamlReader) merge(n *yaml.Node, within []*yaml.Node) []pair {
	maps := []*yaml.Node{n}
	if list := resolve(n); list.Kind == yaml.SequenceNode {
		maps = list.Content
	}
	var all []pair
	for _, item := range maps {
		switch m := resolve(item); {
		case slices.Contains(within, m):
			r.add(item, "a map is merged into itself", "remove the <<")
		case m.Kind != yaml.MappingNode:
			r.wrongType(item, "a map", "merge a map, or remove the <<")
		default:
			all = appendMissing(all, r.pairs(m, within))
		}
	}
	return all
}

// appendMissing appends the pairs whose key is not there yet.
func appendMissing(pairs, more []pair) []pair {
	for _, p := range more {
		if !slices.ContainsFunc(pairs, func(q pair) bool { return q.key.Value == p.key.Value }) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// text reads a text. Want says what is wanted, and cure how to write it.
func (r *yamlReader) text(n *yaml.Node, want, cure string) (string, bool) {
	v := resolve(n)
	if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str" {
		r.wrongType(n, want, cure)
		return "", false
	}
	return v.Value, true
}

// integer reads a whole number.
func (r *yamlReader) integer(n *yaml.Node, want, cure string) (int, bool) {
	v := resolve(n)
	var i int
	if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!int" || v.Decode(&i) != nil {
		r.wrongType(n, want, cure)
		return 0, false
	}
	return i, true
}

// oneOf reads a text that has to be one of a few.
func (r *yamlReader) oneOf(n *yaml.Node, what string, values ...string) (string, bool) {
	v, ok := r.text(n, "a "+what, "write one of "+strings.Join(values, ", "))
	if !ok {
		return "", false
	}
	if !slices.Contains(values, v) {
		r.add(n, fmt.Sprintf("unknown %s %q", what, v), suggestion(v, values, "write one of "))
		return "", false
	}
	return v, true
}

// wrongType reports a value of another type than wanted.
func (r *yamlReader) wrongType(n *yaml.Node, want, cure string) {
	r.add(n, fmt.Sprintf("%s where %s is wanted", describe(n), want), cure)
}
