package load

import "slices"

// export gets what the packages import from elsewhere.
func (l *loader) export() error {
	if len(l.graph.source) == 0 {
		return nil
	}
	needed := slices.DeleteFunc(slices.Concat(l.impliedByCode(), l.graph.imports(false)), l.graph.isSource)
	if err := l.fetch(slices.Concat(needed, l.implied(), l.graph.imports(true))); err != nil {
		return err
	}
	l.failedImports(needed)
	return nil
}

// fetch gets export data of packages, but for those that are type-checked
// from source.
func (l *loader) fetch(paths []string) error {
	paths = slices.DeleteFunc(slices.Clone(paths), l.graph.isSource)
	return l.exports.fetch(l.ctx, l.files.root, paths)
}

// implied returns what generated code imports, and what its tests do where
// they are to be checked: asking for that once more costs as much again.
func (l *loader) implied() []string {
	for dir := range l.funcs {
		if !slices.ContainsFunc(l.found.hand[dir], isFixture) {
			return slices.Concat(l.impliedByCode(), impliedByTests(l.opts.Config.Dialects))
		}
	}
	return l.impliedByCode()
}
