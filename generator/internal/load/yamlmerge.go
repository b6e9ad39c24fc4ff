package load

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

// maxMerged is how many keys the << of a file may give: anchors that merge
// anchors double at each step.
const maxMerged = 100_000

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
			r.add(p.key, fmt.Sprintf("the key %q is given twice, first at %s", name.Value, r.nodePos(before)), "remove one of the two")
			continue
		}
		first[name.Value] = p.key
		if isMerge(p.key) {
			merged = r.merge(p.value, append(within, m))
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
			all = appendMissing(all, r.countMerged(item, m, within))
		}
	}
	return all
}

// countMerged returns the pairs of a map that is merged, unless there have
// been too many.
func (r *yamlReader) countMerged(item, m *yaml.Node, within []*yaml.Node) []pair {
	if r.merged > maxMerged {
		return nil
	}
	r.merged += 1 + len(m.Content)/2
	if r.merged > maxMerged {
		r.add(item, fmt.Sprintf("the << of this file give more than %d keys", maxMerged), "write the keys themselves, or merge less")
		return nil
	}
	return r.pairs(m, within)
}

// appendMissing appends the pairs whose key is not there yet.
func appendMissing(pairs, more []pair) []pair {
	there := map[string]bool{}
	for _, p := range pairs {
		there[p.key.Value] = true
	}
	for _, p := range more {
		if !there[p.key.Value] {
			pairs = append(pairs, p)
		}
	}
	return pairs
}
