package generator

import (
	"github.com/idemgen/idemgen/generator/internal/gogen"
	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/generator/internal/sqlgen"
)

// An emitter turns the model into files.
type emitter struct {
	name string // of its stage
	emit func(*output) error
}

// emitters is the list of them, in the order in which they run: the race
// tests name the migrations.
var emitters = []emitter{
	{"sql", emitSQL},       // migrations, audit SQL and idemgen.lock
	{"go", emitGo},         // wrappers, key functions, race tests and their fixtures
	{"schema", emitSchema}, // the JSON Schema of idemgen.yaml
}

func emitSQL(out *output) error {
	emitted, err := sqlgen.Emit(out.spec, out.root)
	if err != nil {
		return err
	}
	out.up, out.index = emitted.Up, emitted.Index
	for _, f := range emitted.Files {
		kind := Owned
		if f.Frozen {
			kind = Frozen
		}
		out.add(File{Path: f.Path, Data: f.Data, Kind: kind})
	}
	if emitted.Lock != nil {
		out.add(File{Path: sqlgen.LockName, Data: emitted.Lock, Kind: Lock})
	}
	return nil
}

func emitGo(out *output) error {
	emitted, err := gogen.Emit(out.spec, func(d spec.Dialect) []string { return out.up[d] }, out.upsertSQL)
	if err != nil {
		return err
	}
	for _, f := range emitted {
		kind := Owned
		if f.Once {
			kind = Scaffold
		}
		out.add(File{Path: f.Path, Data: f.Data, Kind: kind})
	}
	return nil
}

// upsertSQL returns what the Go output has of an upsert's SQL.
func (o *output) upsertSQL(d spec.Dialect, u *spec.Upsert) gogen.UpsertSQL {
	return gogen.UpsertSQL{Statements: sqlgen.Upsert(d, u), Index: sqlgen.Index(d, u), Migrations: o.index[u][d]}
}
