package load

import (
	"maps"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Notices returns what is no error and should be known all the same.
func (p *Program) Notices() spec.Errors { return append(p.orphans(), p.loader.unreadBelow()...) }

// orphans tells of the fixtures that belong to no handler any more: the
// developer's code, which nobody but the developer may remove.
func (p *Program) orphans() (notices spec.Errors) {
	belongs := map[string]bool{}
	for _, file := range p.Spec.Files {
		for _, h := range file.Handlers {
			belongs[fixturePath(h)] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(p.loader.found.hand)) {
		for _, name := range p.loader.found.hand[dir] {
			if isFixture(name) && !belongs[name] {
				notices.Add(top(name), "this fixture belongs to no handler any more", "move what you need of it, and remove it")
			}
		}
	}
	return notices
}
