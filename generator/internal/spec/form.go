package spec

import (
	"strconv"
	"strings"
)

// form is how a front end writes a handler's directives: as comments, or, when
// true, as fields of an entry in idemgen.yaml.
type form bool

// form is that of the handler.
func (src Source) form() form { return form(len(src.Directives) > 0 && src.Directives[0].YAML) }

// name is a directive's name in messages: //idem:lease, or lease.
func (f form) name(directive string) string {
	if f {
		return directive
	}
	return "//idem:" + directive
}

// line is a directive with its argument: //idem:lease 2m, or lease: 2m.
func (f form) line(directive, args string) string {
	if f {
		return directive + ": " + scalar(args)
	}
	return "//idem:" + directive + " " + args
}

// item is a directive that may be given more than once: //idem:allow a b, or
// allow: [a b].
func (f form) item(directive, args string) string {
	if f {
		return directive + ": [" + scalar(args) + "]"
	}
	return f.line(directive, args)
}

// scalar is a text in YAML, in quotes where it may need them.
func scalar(s string) string {
	if strings.ContainsAny(s, "{}[]:,#|&*?!<>=%@`\"'") {
		return strconv.Quote(s)
	}
	return s
}

// form is that of one directive.
func (d Directive) form() form { return form(d.YAML) }

// written is the directive's name as it was written, for messages.
func (d Directive) written() string { return d.form().name(d.Name) }

// at is the place of a byte of the argument, or of its end.
func (d Directive) at(offset int) Pos {
	if d.Fixed {
		return d.ArgsPos
	}
	pos := d.ArgsPos
	pos.Col += offset
	return pos
}
