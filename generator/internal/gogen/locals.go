package gogen

import (
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// handler is a handler, with the names that its functions have in one file.
type handler struct {
	*spec.Handler
	*declared
	out    *output
	scope  *scope
	recv   string
	params []string // by index in Params; empty where the wrapper has none
	result string   // type of the result as text; struct{} if there is none
}

// needs is what the bodies of a handler's functions in a file name, and no
// parameter may hide.
type needs struct {
	types    []types.Type
	packages []string // by path
	names    []string
}

// newHandler names the parameters. Only a file with functions of the handler's
// own signature needs names for the receiver and the context.
func newHandler(out *output, h *spec.Handler, names *declared, bodies needs, signature bool) *handler {
	l := &handler{Handler: h, declared: names, out: out, scope: out.imports.variables(), result: "struct{}"}
	if h.Result != nil {
		l.result = out.imports.peek(h.Result)
	}
	l.scope.reserve(h.KeyFunc())
	if h.Recv == nil {
		l.scope.reserve(h.Func)
	}
	l.scope.reserve(names.all()...)
	l.scope.reserve(bodies.names...)
	for _, p := range bodies.packages {
		l.scope.reserve(out.imports.name[p])
	}
	for _, t := range bodies.types {
		l.scope.reserve(identifiers(out.imports.peek(t))...)
	}
	l.params = make([]string, len(h.Params))
	l.keepNames(signature)
	l.nameOthers(signature)
	return l
}

// keepNames gives parameters the names that the user chose.
func (l *handler) keepNames(signature bool) {
	if r := l.Recv; signature && r != nil && named(r.Name) && l.scope.keep(r.Name) {
		l.recv = r.Name
	}
	for i, p := range l.Params {
		if l.has(p, signature) && named(p.Name) && l.scope.keep(p.Name) {
			l.params[i] = p.Name
		}
	}
}

// nameOthers names the parameters that have no name, or one that is needed
// for something else.
func (l *handler) nameOthers(signature bool) {
	if r := l.Recv; signature && r != nil && l.recv == "" {
		l.recv = l.scope.take(initial(r.Type), "recv")
	}
	for i, p := range l.Params {
		switch {
		case !l.has(p, signature) || l.params[i] != "":
		case named(p.Name):
			l.params[i] = l.scope.take(p.Name + "Arg")
		case p.Kind == spec.ContextParam:
			l.params[i] = l.scope.take("ctx", "callerCtx")
		case p.Variadic:
			l.params[i] = l.scope.take("rest")
		default:
			l.params[i] = l.scope.take(variable(p.Type, "arg"))
		}
	}
}

// has reports whether the functions in the file have the parameter.
func (l *handler) has(p spec.Param, signature bool) bool {
	return p.Kind == spec.PassParam || signature && p.Kind == spec.ContextParam
}

func named(name string) bool { return name != "" && name != "_" }

// initial returns the first letter of a type's name, in lower case.
func initial(typeName string) string {
	r, _ := utf8.DecodeRuneInString(typeName)
	return string(unicode.ToLower(r))
}

// passed returns the indexes of the parameters that the wrapper shares with
// the handler, the context left out.
func (l *handler) passed() []int {
	var indexes []int
	for i, p := range l.Params {
		if p.Kind == spec.PassParam {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// keyed returns the indexes of the parameters that the key is made of.
func (l *handler) keyed() []int { return l.read(l.Key.Parts) }

// read returns the indexes of the parameters that placeholders begin with.
func (l *handler) read(parts []spec.KeyPart) []int {
	used := map[int]bool{}
	for _, part := range parts {
		if part.Text != "" {
			used[part.Param] = true
		}
	}
	var indexes []int
	for _, i := range l.passed() {
		if used[i] {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// field returns a parameter as a function declares it.
func (l *handler) field(i int) field {
	return field{name: l.params[i], typ: l.paramType(i)}
}

func (l *handler) fieldsOf(indexes []int) []field {
	fields := make([]field, len(indexes))
	for k, i := range indexes {
		fields[k] = l.field(i)
	}
	return fields
}

func (l *handler) paramType(i int) string {
	p := l.Params[i]
	if slice, ok := p.Type.(*types.Slice); ok && p.Variadic {
		return "..." + l.out.imports.text(slice.Elem())
	}
	return l.out.imports.text(p.Type)
}

// arg returns a parameter as a call passes it on.
func (l *handler) arg(i int) string {
	if l.Params[i].Variadic {
		return l.params[i] + "..."
	}
	return l.params[i]
}

// argsOf returns parameters as a call passes them on.
func (l *handler) argsOf(indexes []int) []string {
	args := make([]string, len(indexes))
	for k, i := range indexes {
		args[k] = l.arg(i)
	}
	return args
}

// argsText yields event := notifyArgs(n), for those of the arguments that are
// used.
func (l *handler) argsText(n string, used []int) string {
	var names []string
	for _, i := range l.passed() {
		if slices.Contains(used, i) {
			names = append(names, l.params[i])
		} else {
			names = append(names, "_")
		}
	}
	return strings.Join(names, ", ") + " := " + l.args + "(" + n + ")"
}

// importResult notes that the file writes the type of the result.
func (l *handler) importResult() {
	if l.Result != nil {
		l.out.imports.text(l.Result)
	}
}

// results returns the results of the handler and of its wrapper.
func (l *handler) results() string {
	if l.Result == nil {
		return "error"
	}
	return "(" + l.result + ", error)"
}

// title names the handler in comments: Notify, Service.Notify.
func (l *handler) title() string {
	if l.Recv == nil {
		return l.Func
	}
	return l.Recv.Type + "." + l.Func
}

// paramNames returns the names that the user gave to parameters.
func paramNames(h *spec.Handler) []string {
	var names []string
	for _, p := range h.Params {
		if named(p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// paramTypes returns the types of the parameters.
func paramTypes(h *spec.Handler) []types.Type {
	list := make([]types.Type, len(h.Params))
	for i, p := range h.Params {
		list[i] = p.Type
	}
	return list
}
