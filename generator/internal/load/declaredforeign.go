package load

import (
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// foreignDeclared notes the functions of a package of another project that
// its idemgen.yaml declares. What is wrong with those is told there.
func (l *loader) foreignDeclared(dir string, p *goPackage) error {
	root, err := FindRoot(p.Dir)
	if err != nil {
		return nil // a vendored copy is nobody's project
	}
	for _, d := range l.foreignHandlers(root) {
		name, ok := foreignName(root, d.Func, p)
		if !ok {
			continue
		}
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles) {
			f, err := l.files.read(l.files.relative(p.Dir, file))
			if err != nil {
				return err
			}
			for _, fn := range f.functions(name) {
				l.foreigners = append(l.foreigners, &annotated{file: f, decl: fn})
				l.found.dirty[dir] = true
			}
		}
	}
	return nil
}

// foreignHandlers returns what another project declares, read once.
func (l *loader) foreignHandlers(root string) []spec.Declaration {
	handlers, ok := l.otherRoots[root]
	if !ok {
		config, _, _ := ReadBrokenConfig(root)
		handlers = config.Handlers
		l.otherRoots[root] = handlers
	}
	return handlers
}

// foreignName reports whether a text in the idemgen.yaml of a root names a
// function of a package.
func foreignName(root, text string, p *goPackage) (funcName, bool) {
	names, _ := parseFuncName(text)
	for _, name := range names {
		dir := filepath.Join(root, filepath.FromSlash(name.pkg))
		if name.pkg == p.ImportPath || (name.pkg == "" || isRelative(name.pkg)) && dir == filepath.Clean(p.Dir) {
			return name, true
		}
	}
	return funcName{}, false
}
