package load

import (
	"maps"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Notices returns what is no error and should be known all the same.
func (p *Program) Notices() spec.Errors {
	return slices.Concat(p.orphans(), p.loader.unreadAbove(), p.loader.unreadBelow())
}

// orphans tells of the fixtures that belong to no handler any more: the
// developer's code, which nobody but the developer may remove.
func (p *Program) orphans() (notices spec.Errors) {
	belongs := map[string]bool{} // in lower case: one that differs there alone is told as an error
	for _, file := range p.Spec.Files {
		for _, h := range file.Handlers {
			belongs[strings.ToLower(fixturePath(h))] = true
		}
		for _, u := range file.Upserts {
			belongs[strings.ToLower(upsertFixturePath(u))] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(p.loader.found.hand)) {
		for _, name := range p.loader.found.hand[dir] {
			if isFixture(name) && !belongs[strings.ToLower(name)] {
				notices.Add(top(name), "this fixture belongs to no handler any more", "move what you need of it, and remove it")
			}
		}
	}
	return notices
}
