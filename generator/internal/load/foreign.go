package load

import (
	"path/filepath"
	"slices"
)

// foreign looks into the packages of other projects that ours import: those
// below and above in the module, in the workspace, and behind a replacement.
// What they miss until they are generated is as little in our way as what we
// miss ourselves.
func (l *loader) foreign(listed []*goPackage) error {
	for _, p := range listed {
		dir := l.files.relative(p.Dir)
		if !p.local() || l.found.hand[dir] != nil || l.found.dirty[dir] {
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			if err := l.foreignFile(dir, filepath.Join(p.Dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// foreignFile notes whether a file is an output, and the functions with
// directives in it. What is wrong with those is told where they belong.
func (l *loader) foreignFile(dir, name string) error {
	text, err := readText(name)
	if err != nil {
		return err
	}
	path := l.files.relative(name)
	if text.output {
		l.found.outputs[path], l.found.dirty[dir] = true, true
	}
	if text.data == nil {
		return nil
	}
	if funcs, _ := l.files.parse(path, text.data).directives(); funcs != nil {
		l.foreigners = append(l.foreigners, funcs...)
		l.found.dirty[dir] = true
	}
	return nil
}

// local reports whether somebody works on the package here.
func (p *goPackage) local() bool {
	m := p.Module
	return p.Dir != "" && m != nil && (m.Main || m.Replace != nil && m.Replace.Version == "")
}
