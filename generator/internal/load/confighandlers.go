package load

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// handlers reads the list of them.
func (d *configReader) handlers(p pair) {
	list := resolve(p.value)
	if list.Kind != yaml.SequenceNode {
		d.wrongType(p.value, "a list", "begin each handler with a dash, such as - func: "+funcField.Example)
		return
	}
	d.listed = true
	for _, item := range list.Content {
		d.handler(item)
	}
}

// handler reads an entry. Of one that is wrong the function is kept.
func (d *configReader) handler(n *yaml.Node) {
	before := len(d.errs)
	h := spec.Declaration{Pos: d.nodePos(n)}
	d.readFields(n, "a handler", d.handlerFields(&h))
	if len(d.errs) > before {
		h.Directives = nil
	}
	if h.Func != "" {
		d.config.Handlers = append(d.config.Handlers, h)
	}
}

// funcField names the function, which in the other front end the directive's
// place does.
var funcField = spec.Field{
	Name: "func", Args: "FUNCTION", Default: required, Example: "./jobs.Notify",
	Doc: "the function that is the handler: its package's directory or import path, a dot, its name; a method as ./jobs.(*Service).Notify",
}

// handlerFields returns the keys of a handler: the function, and all that a
// directive can say.
func (d *configReader) handlerFields(into *spec.Declaration) []field {
	fields := []field{{
		Field: funcField, schema: textSchema(filledPattern),
		missing: "name the function, such as func: " + funcField.Example,
		read:    func(p pair) { d.function(p.value, into) },
	}}
	for _, f := range spec.Fields() {
		fields = append(fields, field{
			Field: f, schema: argumentSchema(f),
			missing: fmt.Sprintf("add it, such as %s", entry(f)),
			read:    func(p pair) { d.arguments(p, f, into) },
		})
	}
	return fields
}

func (d *configReader) function(n *yaml.Node, into *spec.Declaration) {
	if _, ok := d.argument(n, funcField); !ok {
		return
	}
	into.Func, into.FuncPos, _ = d.placed(n)
	if into.Func == "" {
		d.add(n, "the func is empty", "write func: "+funcField.Example)
	}
}

// arguments reads the value of a field, or the list of them where there may
// be many.
func (d *configReader) arguments(p pair, f spec.Field, into *spec.Declaration) {
	values := []*yaml.Node{p.value}
	if list := resolve(p.value); f.Many && list.Kind == yaml.SequenceNode {
		values = list.Content
		if len(values) == 0 {
			d.add(p.value, fmt.Sprintf("the list of %s is empty", f.Name), "remove it")
		}
	}
	for _, n := range values {
		text, ok := d.argument(n, f)
		if !ok {
			continue
		}
		directive := spec.Directive{Name: f.Name, YAML: true, Pos: d.nodePos(p.key)}
		directive.Args, directive.ArgsPos, directive.Fixed = d.placed(n)
		if f.Integer && directive.Args != text {
			directive.Args, directive.Fixed = text, true
		}
		into.Directives = append(into.Directives, directive)
	}
}

// argument reads the text that stands behind a directive. Numbers are given
// as people write them.
func (d *configReader) argument(n *yaml.Node, f spec.Field) (string, bool) {
	if f.Integer {
		i, ok := d.readInteger(n, takes(f), d.rewritten(n, f))
		return strconv.Itoa(i), ok
	}
	return d.readText(n, takes(f), d.rewritten(n, f))
}

// takes says what a field takes.
func takes(f spec.Field) string {
	switch {
	case f.Integer:
		return "a number"
	case isDuration(f):
		return "a duration"
	}
	return "a text"
}

func isDuration(f spec.Field) bool { return strings.HasPrefix(f.Args, "DURATION") }

// rewritten says how to write what YAML takes for something else than a text.
func (d *configReader) rewritten(n *yaml.Node, f spec.Field) string {
	_, err := strconv.ParseUint(n.Value, 10, 64)
	switch number := err == nil; {
	case number && f.Integer && isText(n):
		return "write it without quotes: " + f.Name + ": " + n.Value
	case number && isDuration(f):
		return fmt.Sprintf("write its unit, too: %[1]ss, %[1]sm, %[1]sh or %[1]sd", n.Value)
	case f.Integer || isDuration(f) || isNull(n) || n.Kind == yaml.AliasNode:
	case n.Kind == yaml.ScalarNode:
		return "quote it: " + f.Name + ": " + strconv.Quote(n.Value)
	case n.Style&yaml.FlowStyle != 0:
		return "quote it: " + f.Name + ": " + strconv.Quote(d.flowText(d.content(d.at(n))))
	}
	return "write " + entry(f)
}

// entry is a field's example, as YAML has it.
func entry(f spec.Field) string {
	text := f.Example
	plain := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	if !f.Integer && (strings.ContainsAny(text, "{}[]&*#?|<>=!%@:\"'`,") || !isText(plain)) {
		text = strconv.Quote(text)
	}
	return f.Name + ": " + text
}
