package load

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// failedImports reports the imports that there is no export data of, by what
// the compiler says, at its places. What has no place in the project is left
// to the type-checker, which names the import.
func (l *loader) failedImports(needed []string) {
	for _, path := range needed {
		p := l.exports.listed[path]
		switch {
		case p == nil || p.Export != "" || p.reported:
		case path == spec.RuntimePath:
			l.errs = append(l.errs, l.noRuntime(p))
			p.reported = true
		default:
			for _, text := range p.errs() {
				errs := l.compilerErrors(text, path)
				l.errs = append(l.errs, errs...)
				p.reported = p.reported || errs != nil
			}
		}
	}
}

// noRuntime says that the module does not have what generated code imports.
func (l *loader) noRuntime(p *goPackage) *spec.Error {
	reason, _, _ := strings.Cut(p.reason(), "; to add it:")
	cure := "run go get github.com/idemgen/idemgen"
	if strings.Contains(reason, "-mod=vendor") {
		cure += " and go mod vendor"
	}
	return &spec.Error{Pos: l.goMod(), Msg: "generated code needs the runtime: " + reason, Cure: cure}
}

// compilerLine is a line of the compiler, of cgo or of the C compiler.
var compilerLine = regexp.MustCompile(`(?m)^([^\s:#][^:\n]*):(\d+):(?:(\d+):)? (.*)$`)

// compilerErrors takes the output of a compiler apart, and returns what has a
// place in the project. A C compiler's notes and warnings are no errors.
func (l *loader) compilerErrors(text, path string) spec.Errors {
	var errs spec.Errors
	for _, m := range compilerLine.FindAllStringSubmatch(text, -1) {
		name := m[1]
		if filepath.IsAbs(name) {
			name = l.files.relative(name)
		}
		if !filepath.IsLocal(name) || strings.HasPrefix(m[4], "note: ") || strings.HasPrefix(m[4], "warning: ") {
			continue
		}
		line, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		errs.Add(spec.Pos{File: filepath.ToSlash(name), Line: line, Col: max(1, col)}, m[4],
			"mend it first: a handler's package needs "+path)
	}
	return errs
}

// goMod is the place of the definition of the handlers' module.
func (l *loader) goMod() spec.Pos {
	file := moduleName
	if module := l.graph.source[0].Module; module != nil {
		file = l.files.relative(module.Dir, moduleName)
	}
	return spec.Pos{File: file, Line: 1, Col: 1}
}

// reason says in a line why there is no export data of a package.
func (p *goPackage) reason() string {
	errs := p.errs()
	if len(errs) == 0 {
		return "the go command has no export data of it"
	}
	if m := compilerLine.FindString(errs[0]); m != "" {
		return m
	}
	first, rest, _ := strings.Cut(errs[0], "\n")
	if strings.HasSuffix(first, ":") {
		return oneLine(first + "\n" + rest)
	}
	return first
}

var blankLines = regexp.MustCompile(`\n\s*\n`)

// oneLine makes one line of a message of the go command or the type-checker.
func oneLine(msg string) string {
	lines := strings.Split(blankLines.ReplaceAllString(strings.TrimSpace(msg), "\n"), "\n")
	var b strings.Builder
	for i, line := range lines {
		switch {
		case i == 0:
		case strings.HasSuffix(lines[i-1], ":"):
			b.WriteByte(' ')
		case i == 1:
			b.WriteString(": ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String()
}
