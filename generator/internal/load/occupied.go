package load

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// maxFileName is how many bytes of a name every file system takes.
const maxFileName = 255

// place is where a Go file belongs that is generated.
type place struct {
	name string // relative to the root
	of   owner  // the first one in it
	from string // what it is called after
}

// places returns those of all handlers and upserts.
func (l *loader) places() (all []place) {
	for _, f := range l.spec.Files {
		stem := strings.TrimSuffix(f.Path, ".go")
		var owners []owner
		for _, h := range f.Handlers {
			owners = append(owners, owner{h.Func, h.Pos, f})
			all = append(all, place{fixturePath(h), owners[len(owners)-1], "function"})
		}
		specs := path.Join(f.Package.Dir, spec.SpecsFile)
		if owners != nil && !slices.ContainsFunc(all, func(p place) bool { return p.name == specs }) {
			all = append(all, place{specs, owners[0], "package"})
		}
		for _, u := range f.Upserts {
			owners = append(owners, owner{u.Type, u.Pos, f})
			all = append(all, place{upsertFixturePath(u), owners[len(owners)-1], "type"})
		}
		all = append(all, place{stem + spec.WrapperSuffix, owners[0], "file"}, place{stem + spec.RaceTestSuffix, owners[0], "file"})
	}
	return all
}

func fixturePath(h *spec.Handler) string {
	return path.Join(h.File.Package.Dir, h.SnakeBase()+spec.FixtureSuffix)
}

func upsertFixturePath(u *spec.Upsert) string {
	return path.Join(u.File.Package.Dir, u.Fixture())
}

// owner is what a file is generated for.
type owner struct {
	name string
	pos  spec.Pos
	file *spec.File
}

func top(name string) spec.Pos { return spec.Pos{File: name, Line: 1, Col: 1} }

// unplaceable reports the generated files that cannot lie where they belong,
// because of their names or of what lies there. A hand-written file of the very
// name is told of when the generated one is to be written, but for a fixture,
// which then stays.
func (l *loader) unplaceable(texts map[string][]byte) (errs spec.Errors) {
	for _, p := range l.places() {
		if texts[p.name] == nil {
			continue
		}
		base := path.Base(p.name)
		if len(base) > maxFileName {
			errs.Add(p.of.pos, fmt.Sprintf("%s would be generated for %s: the name has %d bytes, and a file's at most %d", base, p.of.name, len(base), maxFileName),
				"shorten the name of the "+p.from)
		}
		for _, hand := range l.found.hand[path.Dir(p.name)] {
			if hand != p.name && strings.EqualFold(hand, p.name) {
				errs.Add(top(hand), fmt.Sprintf("but for upper and lower case this is the name of %s, which is generated: the go command and many systems keep only one of them", base), "rename this file")
			}
			if hand == p.name && isFixture(hand) {
				errs = append(errs, l.strangeFixture(hand, p.of)...)
			}
		}
	}
	return errs
}

// strangeFixture reports a fixture that lacks what the race tests call because
// it is not of their package, or of none.
func (l *loader) strangeFixture(name string, of owner) (errs spec.Errors) {
	f := l.files.known(name)
	if f == nil {
		return nil
	}
	const cure = "; or remove the file, and idemgen writes it anew"
	want := of.file.Package.Name
	switch got := f.syntax.Name.Name; {
	case got == want:
	case f.errs != nil:
		errs.Add(f.errs[0].Pos, "this is the place of the fixture of "+of.name+", and no Go file lies here: "+f.errs[0].Msg, "begin it with package "+want+cure)
	default:
		errs.Add(f.pos(f.syntax.Name.Pos()), fmt.Sprintf("this is the fixture of %s, and the race tests, in package %s, do not see what package %s declares", of.name, want, got),
			"write package "+want+cure)
	}
	return errs
}

// testName reports a package with handlers whose name is one for external tests:
// the go command takes its race tests for those of another package, as soon as
// one of them comes first in the directory.
func (l *loader) testName(p *pkg) {
	if p.handlers == nil {
		return
	}
	clause := p.handlers[0].file.syntax.Name
	if plain, ok := strings.CutSuffix(clause.Name, "_test"); ok {
		l.errs.Add(p.handlers[0].file.pos(clause.Pos()), fmt.Sprintf("a package called %s cannot have the race tests that are generated: to the go command they are tests of a package %s", clause.Name, plain),
			"give it a name without _test at its end")
	}
}

// inOurPlaces puts, for what is wrong in files that a hand wrote where
// generated ones belong, that they are in the way.
func (l *loader) inOurPlaces(errs spec.Errors) spec.Errors {
	told := make(spec.Errors, 0, len(errs))
	for _, err := range errs {
		if source := l.sourceOf(err.Pos.File); source != "" {
			err = &spec.Error{
				Pos:  top(err.Pos.File),
				Msg:  "this file is in the way of what is generated for " + source + ", and its header does not say that idemgen wrote it here",
				Cure: "move it to another name, or delete it",
			}
		}
		told = append(told, err)
	}
	return told
}

// sourceOf returns the source file with handlers whose output belongs where a
// hand-written file lies, or "".
func (l *loader) sourceOf(hand string) string {
	source, ok := spec.SourceOf(hand)
	dir := path.Dir(hand)
	if !ok || !slices.Contains(l.found.hand[dir], hand) {
		return ""
	}
	handlers := slices.Clone(l.funcs[dir])
	if l.graph != nil {
		for _, p := range l.graph.inDir(func(d string) bool { return d == dir }) {
			handlers = append(handlers, p.handlers...)
		}
	}
	if slices.ContainsFunc(handlers, func(a *annotated) bool { return a.file.path == source }) {
		return source
	}
	return ""
}
