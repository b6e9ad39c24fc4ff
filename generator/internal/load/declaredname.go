package load

import (
	"fmt"
	"go/token"
	"path"
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// funcName is a function as idemgen.yaml names it.
type funcName struct {
	pkg     string // as written: ./jobs, an import path, or empty for the root's package
	recv    string // the receiver's type; empty for a function
	pointer bool   // the receiver is written as a pointer
	exact   bool   // the receiver stands in parentheses, and says whether it is one
	name    string
}

const (
	funcCure    = "write the directory of its package, a dot and its name, such as ./jobs.Notify"
	wrapperCure = "write a function of your own that calls it, and name that"
	genericCure = "write a function without type parameters that calls it, one for each type, and name that"
)

var (
	word = `[\pL_][\pL_\p{Nd}]*`
	// methodName is PACKAGE.(*Type).Method.
	methodName = regexp.MustCompile(`^(?:(.*)\.)?\((\*?)(` + word + `)\)\.(` + word + `)$`)
	// callOf is a function with arguments.
	callOf = regexp.MustCompile(`^(.*[\pL\p{Nd}_])\(.*\)$`)
	// goMethod is how Go writes it, (*package.Type).Method.
	goMethod = regexp.MustCompile(`^\*?\(?(\*?)([^()*]+)\.(` + word + `)\)?\.(` + word + `)$`)
)

// parseFuncName returns what a text may name, the longest package first: in
// ./jobs.v2.Notify, v2 may belong to the directory or be a type.
func parseFuncName(text string) ([]funcName, *spec.Error) {
	switch plain, call := called(text); {
	case strings.Contains(text, `\`):
		return nil, &spec.Error{Msg: fmt.Sprintf("%q has a backslash in it", text), Cure: writeFunc(strings.ReplaceAll(text, `\`, "/"))}
	case strings.ContainsAny(text, "[]"):
		return nil, &spec.Error{Msg: fmt.Sprintf("%q has type arguments, and runs of one type would answer duplicates of another", text), Cure: genericCure}
	case call:
		return nil, &spec.Error{Msg: fmt.Sprintf("%q is a call", text), Cure: writeFunc(plain)}
	}
	if m := methodName.FindStringSubmatch(text); m != nil && !strings.ContainsAny(m[1], "()*") {
		return []funcName{{pkg: m[1], recv: m[3], pointer: m[2] != "", exact: true, name: m[4]}}, nil
	}
	if m := goMethod.FindStringSubmatch(text); m != nil && strings.ContainsAny(text, "()*") {
		return nil, &spec.Error{Msg: fmt.Sprintf("%q names no function", text), Cure: writeFunc(fmt.Sprintf("%s.(%s%s).%s", relativeDir(m[2]), pointerSign(text), m[3], m[4]))}
	}
	return dottedNames(text)
}

// called returns what a call names, with or without arguments.
func called(text string) (name string, ok bool) {
	if name, _, ok := strings.Cut(text, "()"); ok {
		return name, true
	}
	m := callOf.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// writeFunc is the cure to write another text, if that names a function; if it
// does not, it is the cure for that.
func writeFunc(text string) string {
	names, wrong := parseFuncName(text)
	switch {
	case wrong != nil:
		return wrong.Cure
	case strings.HasPrefix(path.Clean(names[0].pkg), ".."):
		return funcCure // which is outside of the project
	}
	return "write " + text
}

// dottedNames reads a text without parentheses.
func dottedNames(text string) ([]funcName, *spec.Error) {
	dir, last := path.Split(text)
	parts := strings.Split(last, ".")
	var names []funcName
	for k := 1; k <= min(2, len(parts)); k++ {
		pkg := dir + strings.Join(parts[:len(parts)-k], ".")
		if (pkg == dir) != (dir == "" && k == len(parts)) || !token.IsIdentifier(parts[len(parts)-k]) {
			continue
		}
		n := funcName{pkg: pkg, name: parts[len(parts)-1]}
		if k == 2 {
			n.recv = parts[len(parts)-2]
		}
		names = append(names, n)
	}
	if names == nil || !token.IsIdentifier(parts[len(parts)-1]) || strings.ContainsAny(text, " \t:()*") {
		return nil, &spec.Error{Msg: fmt.Sprintf("%q names no function", text), Cure: dottedCure(text)}
	}
	return names, nil
}

// dottedCure says what was meant by a text that names a directory, a file, or
// a function behind a slash.
func dottedCure(text string) string {
	dir, last := path.Split(text)
	switch {
	case strings.HasSuffix(last, ".go") && token.IsIdentifier(strings.TrimSuffix(last, ".go")):
		return "name its directory and the function, such as " + relativeDir(cleanDir(dir)) + ".Notify"
	case dir == "./" && token.IsIdentifier(strings.TrimPrefix(last, ".")):
		return "write " + strings.TrimPrefix(last, ".") + ", if it is in the root's package, or " + funcCure
	case dir != "" && token.IsExported(last):
		return writeFunc(relativeDir(cleanDir(dir)) + "." + last)
	case dir != "" && token.IsIdentifier(last):
		return "add a dot and the name of the function, such as " + text + ".Notify"
	}
	return funcCure
}

// cleanDir is a directory without the dot that belongs before the function's
// name.
func cleanDir(dir string) string {
	dir = path.Clean(dir)
	if strings.Trim(path.Base(dir), ".") == "" {
		return dir // one of the dots that are directories
	}
	return strings.TrimRight(dir, ".")
}

func pointerSign(text string) string {
	if strings.Contains(text, "*") {
		return "*"
	}
	return ""
}

// relativeDir writes a directory so that it cannot be taken for an import
// path.
func relativeDir(dir string) string {
	if strings.HasPrefix(dir, ".") || strings.Contains(strings.SplitN(dir, "/", 2)[0], ".") {
		return dir
	}
	return "./" + dir
}

// spelled is how idemgen.yaml names a function of a directory of the project.
func spelled(dir, recv string, pointer bool, name string) string {
	switch {
	case recv != "" && pointer:
		name = "(*" + recv + ")." + name
	case recv != "":
		name = "(" + recv + ")." + name
	}
	if dir == "." {
		return name
	}
	return "./" + dir + "." + name
}

// in is the name in a directory, as it would be written.
func (n funcName) in(dir string) string {
	if n.recv != "" && !n.exact {
		return spelled(dir, "", false, n.recv+"."+n.name)
	}
	return spelled(dir, n.recv, n.pointer, n.name)
}
