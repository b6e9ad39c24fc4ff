package load

import (
	"fmt"
	"slices"
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

// handler reads an entry. Of one that is wrong the rest is kept, for the errors
// that are in it.
func (d *configReader) handler(n *yaml.Node) {
	h := spec.Declaration{Pos: d.nodePos(n)}
	given := d.readFields(n, "a handler", d.handlerFields(&h))
	for _, f := range spec.Fields() {
		there := func(dir spec.Directive) bool { return dir.Name == f.Name }
		if (given[f.Name] != nil || f.Default == required) && !slices.ContainsFunc(h.Directives, there) {
			h.Directives = append(h.Directives, unread(f, h.Pos)) // missing, or misspelt
		}
	}
	if h.Func == "" {
		d.errs = append(d.errs, spec.CheckArguments(h.Directives)...)
		return
	}
	d.config.Handlers = append(d.config.Handlers, h)
}

// unread stands for a field that has been told to be wrong.
func unread(f spec.Field, at spec.Pos) spec.Directive {
	return spec.Directive{Name: f.Name, YAML: true, Pos: at, ArgsPos: at, Unread: true}
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
	flow := false
	if list := resolve(p.value); f.Many && list.Kind == yaml.SequenceNode {
		values, flow = list.Content, list.Style&yaml.FlowStyle != 0
		if len(values) == 0 {
			d.add(p.value, fmt.Sprintf("the list of %s is empty", f.Name), "remove it")
		}
	}
	for i, n := range values {
		text, ok := d.argument(n, f)
		if !ok {
			into.Directives = append(into.Directives, unread(f, d.nodePos(n)))
			continue
		}
		directive := spec.Directive{Name: f.Name, YAML: true, Pos: d.nodePos(p.key)}
		directive.Args, directive.ArgsPos, directive.Fixed = d.placed(n)
		if flow {
			directive.Uncut = uncut(values[:i+1])
		}
		if f.Integer && directive.Args != text {
			directive.Args, directive.Fixed = text, true
		}
		into.Directives = append(into.Directives, directive)
	}
}

// uncut is the text that the last of some items may end, if a comma has cut it:
// the plain items from the last that begins with a path on. It is empty where
// no comma has.
func uncut(items []*yaml.Node) string {
	var texts []string
	for _, n := range slices.Backward(items) {
		text := n.Value
		if onePair(n) {
			text = n.Content[0].Value + " " + n.Content[1].Value
		} else if n.Kind != yaml.ScalarNode || n.Style != 0 {
			return ""
		}
		texts = append(texts, text)
		if first, _, _ := strings.Cut(text, " "); strings.Contains(first, ".") {
			break
		}
	}
	if len(texts) < 2 {
		return ""
	}
	slices.Reverse(texts)
	return strings.Join(texts, ", ")
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
	case f.Many && onePair(n):
		return "write it without the colon: " + quoted(n.Content[0].Value+" "+n.Content[1].Value)
	case n.Kind == yaml.SequenceNode && len(n.Content) == 1 && isText(n.Content[0]):
		return "write it without the brackets or the dash: " + f.Name + ": " + quoted(n.Content[0].Value)
	case n.Kind == yaml.SequenceNode:
	case f.Name == "order" && n.Kind == yaml.MappingNode && !placeholderNode(n):
		return "write " + d.order(f, n)
	case n.Kind == yaml.ScalarNode:
		return "quote it: " + f.Name + ": " + strconv.Quote(n.Value)
	case n.Style&yaml.FlowStyle != 0:
		return "quote it: " + f.Name + ": " + strconv.Quote(d.flowText(d.content(d.at(n))))
	}
	return "write " + entry(f)
}

// onePair reports whether a value is a map of one key with a text.
func onePair(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) == 2 && isText(n.Content[0]) && isText(n.Content[1])
}

// entry is a field's example, as YAML has it.
func entry(f spec.Field) string {
	if f.Integer {
		return f.Name + ": " + f.Example
	}
	return f.Name + ": " + quoted(f.Example)
}

// quoted is a text in YAML, in quotes where it may need them.
func quoted(text string) string {
	plain := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	if strings.ContainsAny(text, "{}[]&*#?|<>=!%@:\"'`,") || !isText(plain) {
		return strconv.Quote(text)
	}
	return text
}
