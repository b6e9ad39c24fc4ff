package load

import (
	"fmt"
	"go/parser"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/parallel"
)

// parse reads the packages that are type-checked from source: the annotated
// ones and those below them that have to be; then those that only generated
// tests need, of which nothing that is wrong is told: the first output comes
// before the go.mod that its tests need.
func (l *loader) parse() error {
	if err := l.parseLevels(l.graph.inDir(l.annotated), l.impliedByCode()); err != nil {
		return err
	}
	needed := slices.Clone(l.graph.source)
	if err := l.parseLevels(l.graph.below(l.implied()), nil); err != nil {
		return err
	}
	l.found.texts, l.files.texts = nil, nil
	for _, p := range l.graph.source {
		p.forTests = !slices.Contains(needed, p)
	}
	for _, p := range needed {
		for _, f := range p.files {
			l.errs = append(l.errs, f.errs...)
		}
		l.forbiddenImports(p)
		if err := l.unbuilt(p); err != nil {
			return err
		}
		l.handlers(p)
		l.declaredTypes(p)
		if err := l.declared(p); err != nil {
			return err
		}
		l.testName(p)
	}
	return nil
}

// parseLevels reads packages and, level by level, those below them and below
// other imports.
func (l *loader) parseLevels(level []*pkg, imports []string) error {
	for len(level) > 0 {
		err := parallel.Do(len(level), func(i int) error { return l.parsePackage(level[i]) })
		if err != nil {
			return err
		}
		l.graph.addSource(level)
		for _, p := range level {
			imports = append(imports, p.imports()...)
		}
		level, imports = l.graph.below(imports), nil
	}
	return nil
}

// parsePackage reads the files of a package. Of one without handlers only the
// declarations matter, and what they need.
func (l *loader) parsePackage(p *pkg) (err error) {
	if !l.annotated(p.dir) {
		p.files, err = l.filesOf(p, 0)
		for _, f := range p.files {
			f.strip()
			f.prune(l.graph.name)
		}
		return err
	}
	if p.files, err = l.filesOf(p, parser.ParseComments); err != nil {
		return err
	}
	for _, name := range l.found.hand[p.dir] {
		f, err := l.files.read(name)
		if err != nil {
			return err
		}
		p.beside = append(p.beside, f)
	}
	return nil
}

// filesOf reads the files of a package that this build takes, without output.
func (l *loader) filesOf(p *pkg, mode parser.Mode) ([]*file, error) {
	var files []*file
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		name = l.files.relative(p.Dir, name)
		if l.found.outputs[name] {
			continue
		}
		f, err := l.files.readAs(name, mode)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// handlers gives a package its annotated functions, and reports those that
// this build leaves out.
func (l *loader) handlers(p *pkg) {
	for _, a := range l.funcs[p.dir] {
		if slices.Contains(p.files, a.file) {
			p.handlers = append(p.handlers, a)
			continue
		}
		reason, cure := a.file.leftOut()
		for _, d := range a.directives {
			l.errs.Add(d.Pos, fmt.Sprintf("//idem:%s stands in a file that this build leaves out (%s)", d.Name, reason), cure)
		}
	}
}
