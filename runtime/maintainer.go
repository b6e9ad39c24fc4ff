package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Maintainer is what [Maintain], [HealthOf] and [Redrive] need of a store
// beside [Store]; the stores of this module have it. Its clock is the
// database's, and what it promises is tested in package storetest.
type Maintainer interface {
	// BeginTask begins a task, unless another process has begun it less than
	// a period ago: then it returns how long to wait until the next is due,
	// never zero or longer than the period. Of concurrent calls one begins.
	BeginTask(ctx context.Context, task string, period time.Duration) (wait time.Duration, err error)
	// EndTask records how a task that was begun ended: how many rows it wrote,
	// and the text of its error, or empty.
	EndTask(ctx context.Context, task string, rows int, failure string) error
	// Health tells how the sweep and the purges of the specs' handlers fare. It
	// reads no more rows than it counts, and changes nothing.
	Health(ctx context.Context, specs []Spec) (Health, error)
	// Undelivered returns runs of a handler that have a payload and could be
	// claimed, oldest first and at most limit of them: waiting ones that are
	// due, and running ones whose lease is over. They lie behind a run that was
	// returned before, or the zero value for the first. It changes nothing.
	Undelivered(ctx context.Context, handler string, after Undelivered, limit int) ([]Undelivered, error)
}

// Undelivered is a run that could be claimed, but that no delivery has come for.
type Undelivered struct {
	Key     Key
	Payload []byte // what it was first claimed with
	Created int64  // the place in the order, for the store
}

// SweepTask names the sweep among the tasks of a [Maintainer].
const SweepTask = "sweep"

// PurgeTask names the purge of a handler's runs.
func PurgeTask(handler string) string { return "purge:" + handler }

// maintainer returns the store below its configuration as what it has to be.
func maintainer(store Store) (Maintainer, settings, error) {
	base, s := configuration(store)
	m, ok := base.(Maintainer)
	if !ok {
		return nil, s, fmt.Errorf("idem: a store of type %T is no idem.Maintainer", base)
	}
	return m, s, nil
}

// ErrSchema says that the table of runs was made by migrations of another version than
// this program is for, or it does not say of which. Comes as a [*SchemaError].
var ErrSchema = errors.New("the table of runs has another schema")

// SchemaError says that a program does not fit its table. Nothing was read or
// written but the table's version, which the store asks for at its first use,
// and after this error at the next.
type SchemaError struct {
	Table string
	Found int // 0 if the table does not say
	Want  int
}

func (e *SchemaError) Error() string {
	found := fmt.Sprintf("version %d", e.Found)
	cure := "run idemgen generate, and apply the migration that it writes"
	switch {
	case e.Found > e.Want:
		cure = "build the program with the idemgen that wrote the migrations: go get github.com/idemgen/idemgen@latest"
	case e.Found == 0:
		found = "no version"
		cure = "apply the migrations that idemgen generate wrote, or, if they were and only the version was lost on the way, write it again as they do"
	}
	return fmt.Sprintf("idem: table %s has schema %s, and this program is for version %d: %s", e.Table, found, e.Want, cure)
}

// Is makes errors.Is(err, ErrSchema) hold.
func (e *SchemaError) Is(target error) bool { return target == ErrSchema }
