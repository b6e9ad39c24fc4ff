package spec

import (
	"fmt"
	"strings"
)

// directives applies all directives of the function, in their order.
func (b *builder) directives() {
	keyMeant := false
	for _, d := range b.src.Directives {
		def, ok := lookupDirective(d.Name)
		if !ok {
			b.unknown(d)
			keyMeant = keyMeant || meant(d) == "key"
			continue
		}
		b.directive(def, d)
	}
	if _, ok := b.given["key"]; !ok && !keyMeant {
		b.noKey()
	}
}

func (b *builder) directive(def directiveDef, d Directive) {
	first, again := b.given[d.Name]
	if again && !def.Many {
		b.errs.Add(d.Pos, fmt.Sprintf("%s is given twice, first at %s", d.written(), first.Pos), "remove one of the two")
		return
	}
	if !again {
		b.given[d.Name] = d
	}
	if d.Args != "" || d.Unread {
		told := len(b.errs)
		def.parse(b, d)
		if d.Unread {
			b.errs = b.errs[:told]
		}
		return
	}
	line := d.form().line
	if def.Many {
		line = d.form().item
	}
	b.errs.Add(d.ArgsPos, d.written()+" has no argument",
		fmt.Sprintf("write %s, such as %s", line(d.Name, def.Args), line(d.Name, def.Example)))
}

// noKey reports that the key is missing, which is what makes a function a
// handler.
func (b *builder) noKey() {
	b.errs.Add(b.h.Declared, fmt.Sprintf("%s has no %s", b.display(), b.form.name("key")),
		fmt.Sprintf("add one, such as %s: without it the function is not a handler", b.form.line("key", b.h.SnakeBase()+":{event.ID}")))
}

// unknown reports a directive that there is none of. The reader of
// idemgen.yaml knows the fields itself.
func (b *builder) unknown(d Directive) {
	if !d.YAML {
		b.errs.Add(d.Pos, fmt.Sprintf("unknown directive //idem:%s", d.Name), unknownCure(d))
	}
}

// unknownCure says which directive was meant, if one is near.
func unknownCure(d Directive) string {
	switch name := meant(d); {
	case name == "":
		return "the directives are " + strings.Join(directiveNames(), ", ")
	case strings.HasPrefix(d.Name, name) && strings.ContainsAny(d.Name, directiveSigns):
		return fmt.Sprintf("put a space between //idem:%s and its argument", name)
	default:
		return fmt.Sprintf("did you mean //idem:%s?", name)
	}
}

// directiveSigns follow the name in other tools' directives:
// //idem:key=notify:{id}.
const directiveSigns = "=:(,"

// meant returns the directive that an unknown one most likely stands for.
func meant(d Directive) string {
	name := d.Name
	if i := strings.IndexAny(name, directiveSigns); i >= 0 {
		name = name[:i]
	}
	return Suggest(name, directiveNames())
}
