package load

import (
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// unlisted reports annotated directories that the go command has no package
// for.
func (l *loader) unlisted(listed []*goPackage) {
	for dir := range l.funcs {
		if len(l.graph.inDir(func(d string) bool { return d == dir })) > 0 {
			continue
		}
		msg, cure := "the go command finds no package in this directory", "go list "+pattern(dir)+" has to find it"
		for _, p := range listed {
			if slices.Contains(p.Match, pattern(dir)) && p.Error != nil {
				msg += ": " + p.reason()
			}
		}
		if strings.ContainsFunc(dir, unimportable) {
			cure = "rename the directory: what is imported has ASCII letters, digits and -._~ in its name"
		}
		l.errs.Add(l.declaredAt(dir), msg, cure)
	}
}

// pattern is a directory as the go command takes it.
func pattern(dir string) string {
	if dir == "." {
		return dir
	}
	return "./" + dir
}

// unimportable reports the characters that no import path has.
func unimportable(r rune) bool {
	letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !letter && !strings.ContainsRune("-._~/", r)
}

// unsaid reports what keeps the go command from building an annotated package,
// though nothing was found to be wrong.
func (l *loader) unsaid() {
	if l.errs != nil {
		return
	}
	for _, p := range l.graph.source {
		if l.annotated(p.dir) && p.Error != nil && p.Error.Pos == "" {
			l.errs.Add(l.declaredAt(p.dir), "the go command does not build this package: "+p.reason(), "go build "+pattern(p.dir)+" has to take it")
		}
	}
}

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

// forbiddenImports reports the imports of a package that are there and must not
// be imported: of an internal package, of a program. The type-checker does
// not mind.
func (l *loader) forbiddenImports(p *pkg) {
	if p.Error == nil {
		return
	}
	for _, f := range p.files {
		f.eachImport(func(path string, at token.Pos) {
			imported := l.graph.listed[path]
			if pos := f.pos(at); pos.String() == filepath.ToSlash(p.Error.Pos) && imported != nil && imported.Error == nil {
				l.errs.Add(pos, oneLine(p.Error.Err), "import another package")
			}
		})
	}
}

// noRuntime says that the module does not have what generated code imports.
func (l *loader) noRuntime(p *goPackage) *spec.Error {
	reason, _, _ := strings.Cut(p.reason(), "; to add it:")
	dir := ModuleDir(l.files.root)
	if module := l.graph.source[0].Module; module != nil {
		dir = module.Dir
	}
	return &spec.Error{Pos: inGoMod(l.files.root, dir), Msg: "generated code needs the runtime: " + reason, Cure: runtimeCure(dir, reason)}
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
