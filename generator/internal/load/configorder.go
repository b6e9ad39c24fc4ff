package load

import (
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// order is the field for an order that is given as a map: with what the map says,
// if it has both parts of an order, and otherwise with an example.
func (d *configReader) order(f spec.Field, n *yaml.Node) string {
	var entity, version string
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch n.Content[i].Value {
		case "entity":
			entity = d.written(n.Content[i+1])
		case "version":
			version = d.written(n.Content[i+1])
		}
	}
	if entity != "" && version != "" {
		f.Example = entity + " at " + version
	}
	return entry(f)
}

// written is a text, or a placeholder without the quotes that would make it one.
func (d *configReader) written(n *yaml.Node) string {
	switch {
	case isText(n):
		return n.Value
	case n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0 && placeholderNode(n):
		return d.flowText(d.content(d.at(n)))
	}
	return ""
}

// placeholderNode reports whether YAML takes {event.ID} for a map: of a key
// without a value.
func placeholderNode(n *yaml.Node) bool { return len(n.Content) == 2 && isNull(n.Content[1]) }
