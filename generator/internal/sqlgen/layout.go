package sqlgen

import (
	"strings"

	"github.com/idemgen/idemgen/templates"
)

// layout is how a tool wants a migration's files.
type layout struct {
	tools  []string // that read it
	pieces []piece
}

// piece is one file of a migration.
type piece struct {
	suffix string
	up     bool // it is applied, alone or among others
	body   func(up, down string) string
}

var (
	pair = layout{
		tools: []string{"plain", "golang-migrate"},
		pieces: []piece{
			{suffix: ".up.sql", up: true, body: func(up, _ string) string { return up }},
			{suffix: ".down.sql", body: func(_, down string) string { return down }},
		},
	}
	// goose runs the statements one by one, split at the semicolons that end
	// a line. StatementBegin is for bodies with semicolons inside, which no
	// template has.
	goose = layout{
		tools: []string{"goose"},
		pieces: []piece{
			{suffix: ".sql", up: true, body: func(up, down string) string {
				return "-- +goose Up\n" + up + "\n-- +goose Down\n" + down
			}},
		},
	}
)

// layouts and digits are by the tool's name in the configuration; digits is
// the width of the first number in an empty directory.
var (
	layouts = map[string]layout{"plain": pair, "golang-migrate": pair, "goose": goose}
	digits  = map[string]int{"plain": 4, "golang-migrate": 6, "goose": 5}
)

// layoutOf tells a file's layout and piece by its name.
func layoutOf(file string) (layout, piece) {
	for _, p := range pair.pieces {
		if strings.HasSuffix(file, p.suffix) {
			return pair, p
		}
	}
	return goose, goose.pieces[0]
}

// render returns what one file of a need's migration holds, and false if
// this version of idemgen does not know the need.
func (n need) render(p piece) ([]byte, bool) {
	if n.name != jobRuns {
		return nil, false
	}
	up, down, err := templates.JobRuns(string(n.dialect), n.table)
	if err != nil {
		return nil, false
	}
	return []byte(p.body(up, down)), true
}
