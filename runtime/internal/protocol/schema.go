package protocol

import (
	"context"
	"regexp"
	"strconv"
	"sync/atomic"

	idem "github.com/idemgen/idemgen/runtime"
)

// SchemaVersion is the version of the tables that the stores work on.
const SchemaVersion = 1

// Schema is what a store knows of its table's version: nothing at first, and
// then that it is the right one. Anything else is asked again, so that a
// migration mends a program that runs.
type Schema struct{ right atomic.Bool }

// Check asks for what the table says of its version, unless it is known. An
// error of asking is none of the table's: what follows meets it too, or it was
// one of the moment. So is a table that is not there.
func (s *Schema) Check(ctx context.Context, table string, ask func(context.Context) (says string, there bool, err error)) error {
	if s.right.Load() {
		return nil
	}
	says, there, err := ask(ctx)
	if err != nil || !there {
		return nil
	}
	found := 0
	if m := schemaVersion.FindStringSubmatch(says); m != nil {
		found, _ = strconv.Atoi(m[1]) // digits; too many are no version of ours
	}
	if found != SchemaVersion {
		return &idem.SchemaError{Table: table, Found: found, Want: SchemaVersion}
	}
	s.right.Store(true)
	return nil
}

var schemaVersion = regexp.MustCompile(`idemgen schema (\d+)`)
