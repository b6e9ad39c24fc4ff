package load

import (
	"path"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/parallel"
)

// foreign looks into the packages of other projects that ours import: those
// below and above in the module, in the workspace, and behind a replacement.
// What they miss until they are generated is as little in our way as what we
// miss ourselves.
func (l *loader) foreign(listed []*goPackage) error {
	var packages []*goPackage
	var names []string
	for _, p := range listed {
		dir := l.files.relative(p.Dir)
		if !p.local() || l.found.hand[dir] != nil || l.found.dirty[dir] {
			continue
		}
		packages = append(packages, p)
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			names = append(names, l.files.relative(p.Dir, name))
		}
	}
	if err := l.foreignFiles(names); err != nil {
		return err
	}
	for _, p := range packages {
		if err := l.foreignDeclared(l.files.relative(p.Dir), p); err != nil {
			return err
		}
	}
	return nil
}

// foreignFiles notes which files are outputs, and the functions with
// directives in the others. What is wrong with those is told where they
// belong.
func (l *loader) foreignFiles(names []string) error {
	outputs := make([]bool, len(names))
	funcs := make([][]*annotated, len(names))
	err := parallel.Do(len(names), func(i int) error {
		text, err := readText(l.files.absolute(names[i]))
		outputs[i] = text.output
		if err != nil || !text.mention {
			return err
		}
		f, err := l.files.read(names[i])
		if err == nil {
			funcs[i], _ = f.directives()
		}
		return err
	})
	for i, name := range names {
		if outputs[i] {
			l.found.outputs[name] = true
		}
		if outputs[i] || funcs[i] != nil {
			l.found.dirty[path.Dir(name)] = true
		}
		l.foreigners = append(l.foreigners, funcs[i]...)
	}
	return err
}

// local reports whether somebody works on the package here.
func (p *goPackage) local() bool {
	m := p.Module
	return p.Dir != "" && m != nil && (m.Main || m.Replace != nil && m.Replace.Version == "")
}
