package load

import (
	"maps"
	"path"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Orphans returns the fixtures, by their paths relative to the root, that
// belong to no handler any more: the developer's code, which nobody but the
// developer may remove.
func (p *Program) Orphans() []string {
	belongs := map[string]bool{}
	for _, file := range p.Spec.Files {
		for _, h := range file.Handlers {
			belongs[path.Join(file.Package.Dir, h.SnakeBase()+spec.FixtureSuffix)] = true
		}
	}
	var orphans []string
	for _, dir := range slices.Sorted(maps.Keys(p.loader.found.hand)) {
		for _, name := range p.loader.found.hand[dir] {
			if isFixture(name) && !belongs[name] {
				orphans = append(orphans, name)
			}
		}
	}
	return orphans
}
