package sqlgen

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// tool is what is peculiar to a tool that runs migrations.
type tool struct {
	digits   int  // width of the first number in an empty directory
	byName   bool // the order is that of the names, and not of the numbers in them
	dialects []spec.Dialect
}

var bothDialects = []spec.Dialect{spec.Postgres, spec.SQLite}

// tools are by their names in the configuration.
var tools = map[string]tool{
	spec.ToolPlain:         {digits: 4, byName: true, dialects: bothDialects},
	spec.ToolGolangMigrate: {digits: 6, dialects: bothDialects},
	spec.ToolGoose:         {digits: 5, dialects: bothDialects},
	spec.ToolTern:          {digits: 3, dialects: []spec.Dialect{spec.Postgres}},
	spec.ToolDbmate:        {digits: 4, byName: true, dialects: bothDialects},
	spec.ToolAtlas:         {digits: 4, byName: true, dialects: bothDialects},
}

// toolsFor lists those that run a dialect's migrations.
func toolsFor(d spec.Dialect) []string {
	names := slices.Sorted(maps.Keys(tools))
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(tools[name].dialects, d) })
}

// piece is one file of a migration.
type piece struct {
	tools  []string // that read it
	suffix string
	up     bool   // it is applied, alone or among others
	mark   string // that no other piece with the suffix has; empty if there is none
	body   func(up, down string) string
	alone  func(text string) string // marks a file that is no transaction; nil where nothing says so
}

// ternMark is what tern splits a file at.
const ternMark = "---- create above / drop below ----"

// atlasNote stands above a migration for Atlas, whose files have no way down.
const atlasNote = `-- For Atlas: run atlas migrate hash when this file is new, so that atlas.sum
-- knows it. It has no way down: atlas migrate down computes one. Add the table
-- to the desired schema, or atlas migrate diff plans to drop it.
--
`

// pieces are the files of all tools, those of one in the order of the lock.
//
// goose runs the statements one by one, split at the semicolons that end a
// line. Its StatementBegin is for bodies with semicolons inside, which no
// template has. tern takes {{ for the beginning of a template, and none has
// that either.
var pieces = []piece{
	{tools: pairTools, suffix: ".up.sql", up: true, body: func(up, _ string) string { return up }},
	{tools: pairTools, suffix: ".down.sql", body: func(_, down string) string { return down }},
	{tools: []string{spec.ToolGoose}, suffix: ".sql", up: true, mark: "-- +goose Up", body: halves("-- +goose Up\n", "-- +goose Down"), alone: gooseAlone},
	{tools: []string{spec.ToolTern}, suffix: ".sql", up: true, mark: ternMark, body: halves("", ternMark), alone: ternAlone},
	{tools: []string{spec.ToolDbmate}, suffix: ".sql", up: true, mark: "-- migrate:up", body: halves("-- migrate:up\n", "-- migrate:down"), alone: dbmateAlone},
	{tools: []string{spec.ToolAtlas}, suffix: ".sql", up: true, mark: "atlas migrate hash", body: func(up, _ string) string { return atlasNote + up }, alone: atlasAlone},
}

// The marks of files that are no transaction.
func gooseAlone(text string) string { return "-- +goose NO TRANSACTION\n" + text }
func ternAlone(text string) string  { return "---- tern: disable-tx ----\n" + text }
func atlasAlone(text string) string { return "-- atlas:txmode none\n\n" + text }

var dbmateAlone = strings.NewReplacer("-- migrate:up", "-- migrate:up transaction:false", "-- migrate:down", "-- migrate:down transaction:false").Replace

var pairTools = []string{spec.ToolPlain, spec.ToolGolangMigrate}

// halves puts both ways into one file.
func halves(head, between string) func(up, down string) string {
	return func(up, down string) string { return head + up + "\n" + between + "\n" + down }
}

// layoutOf returns the pieces of which a tool wants a migration.
func layoutOf(tool string) []piece {
	return slices.DeleteFunc(slices.Clone(pieces), func(p piece) bool { return !slices.Contains(p.tools, tool) })
}

// pieceOf tells which piece a locked file is. Several have the same name: it
// is the one that comes out with the locked hash. If another version of
// idemgen wrote the file, the mark in it tells, and if it has none, what is
// likely.
func (m *migrator) pieceOf(e entry, data []byte) piece {
	fit := slices.DeleteFunc(slices.Clone(pieces), func(p piece) bool { return !strings.HasSuffix(e.path, e.stem()+p.suffix) })
	for _, tells := range []func(piece) bool{
		func(p piece) bool { want, known := e.render(p); return known && hash(want) == e.sum },
		func(p piece) bool { return p.mark != "" && bytes.Contains(data, []byte(p.mark)) },
		func(p piece) bool { return slices.Contains(p.tools, m.cfg.Migrations.Tool) },
		func(piece) bool { return true },
	} {
		if i := slices.IndexFunc(fit, tells); i >= 0 {
			return fit[i]
		}
	}
	return piece{}
}

// render returns what one file of a need's migration holds, and false if
// this version of idemgen does not know the need.
func (n need) render(p piece) ([]byte, bool) {
	if p.body == nil {
		return nil, false
	}
	if key, ok := n.key(); ok {
		return key.render(p)
	}
	migration, known := tables[n.name]
	if !known {
		return nil, false
	}
	up, down, err := migration(string(n.dialect), n.table)
	if err != nil {
		return nil, false
	}
	return []byte(p.body(up, down)), true
}

// render returns what one file of an index's migration holds. On Postgres it is
// built while others write, which no transaction does.
func (k naturalKey) render(p piece) ([]byte, bool) {
	up, down, err := k.migration()
	if err != nil {
		return nil, false
	}
	text := strings.Replace(p.body(up, down), "Add the table\n", "Add the index\n", 1)
	if p.alone != nil && k.dialect == spec.Postgres {
		text = p.alone(text)
	}
	return []byte(text), true
}
