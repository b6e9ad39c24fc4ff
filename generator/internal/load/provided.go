package load

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// leftOutProvided reports what the race tests call of the developer's, by a file
// that declares it and that this build leaves out: a fixture, or a test that it was
// moved to.
func (l *loader) leftOutProvided() (errs spec.Errors) {
	told := map[string]bool{}
	for _, f := range l.spec.Files {
		p := l.graph.listed[f.Package.Path]
		for _, name := range provided(f) {
			at, declared := f.Package.Names[name]
			if !declared || told[at.File] || !strings.HasSuffix(at.File, "_test.go") || !slices.Contains(p.Ignored, path.Base(at.File)) || p.tests(name) {
				continue
			}
			told[at.File] = true
			msg := fmt.Sprintf("the race tests of %s call %s, and this build leaves out the file that declares it", path.Base(f.Path), name)
			cure := "take out what says so"
			if f.Constraint != "" {
				cure = "let it say //go:build " + f.Constraint
			}
			errs.Add(at, msg+l.leftOutBy(at.File), cure+", so that both are built where "+path.Base(f.Path)+" is")
		}
	}
	return errs
}

// provided returns the names of what the race tests of a file call and a fixture
// declares.
func provided(f *spec.File) (names []string) {
	for _, h := range f.Handlers {
		names = append(names, h.Base()+"Args", h.Base()+"Real")
	}
	for _, u := range f.Upserts {
		names = append(names, u.Base()+"Row", u.Base()+"Table")
	}
	return names
}

// given are the places of what tests of the developer's declare in place of a
// fixture, by name. One that was told not to fit is nil.
type given map[string]*spec.Error

// givenIn returns those of a package.
func (l *loader) givenIn(importPath string) given {
	own := given{}
	for _, f := range l.spec.Files {
		if f.Package.Path != importPath {
			continue
		}
		for _, name := range provided(f) {
			if at, ok := f.Package.Names[name]; ok && strings.HasSuffix(at.File, "_test.go") {
				own[name] = &spec.Error{Pos: at, Msg: "this is no " + name + " as the race tests of " + path.Base(f.Path) + " call it",
					Cure: "give it another name, and idemgen writes a fixture with one that fits"}
			}
		}
	}
	return own
}

// calledIn returns what to tell of the name that a line of a race test calls, the
// first time: the line does not compile.
func (g given) calledIn(line string) (*spec.Error, bool) {
	for _, word := range words.FindAllString(line, -1) {
		if err, ok := g[word]; ok {
			g[word] = nil
			return err, true
		}
	}
	return nil, false
}

var words = regexp.MustCompile(`[\pL_][\pL_\p{Nd}]*`)

// lineOf returns a line of a text, by its number.
func lineOf(text []byte, number int) string {
	for line := range strings.Lines(string(text)) {
		if number--; number == 0 {
			return line
		}
	}
	return ""
}

// tests reports whether a test of this build declares a name.
func (p *pkg) tests(name string) (found bool) {
	for _, f := range p.beside {
		if slices.Contains(p.TestGoFiles, path.Base(f.path)) {
			f.declared(func(n string, _ token.Pos) { found = found || n == name })
		}
	}
	return found
}

// leftOutBy says what leaves a file out, or nothing, where the file is gone.
func (l *loader) leftOutBy(name string) string {
	data, err := os.ReadFile(l.files.absolute(name))
	if err != nil {
		return ""
	}
	reason, _ := l.files.parse(name, data, parser.ParseComments).leftOut()
	return " (" + reason + ")"
}
