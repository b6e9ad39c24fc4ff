package idemtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest/internal/migration"
	"github.com/idemgen/idemgen/runtime/upsert"
)

// UpsertSuite is what [RaceUpsert] has to know of an upsert.
type UpsertSuite[Row any] struct {
	Table string
	// Row returns the n-th row of a file: the same n gives the same values,
	// another n another key.
	Row func(n int) Row
	// Create makes the table, in a database that holds nothing.
	Create    func(t testing.TB, db DB)
	Databases []UpsertDatabase[Row]
}

// UpsertDatabase is a kind of database, and the function that writes rows in it.
type UpsertDatabase[Row any] struct {
	Open Opener
	// Index is the name of the unique index. If the table has none of this name,
	// Migrations are run after Create.
	Index      string
	Migrations []string
	Upsert     func(ctx context.Context, db DB, rows []Row) (upsert.Counts, error)
}

// RaceUpsert runs an upsert through what happens to imports, on an empty table
// for each of these:
//
//   - counts: rows are written, written again, and given twice in one call.
//   - importers: several import one file at the same time, each in an order
//     of its own, in batches; each dies now and then, in the middle of a
//     batch or between two, and begins from the start. The flag -idem.n says
//     how many. In the end the table holds the file.
func RaceUpsert[Row any](t *testing.T, s UpsertSuite[Row]) {
	t.Helper()
	if len(s.Databases) == 0 {
		t.Fatal("idemtest: the suite names no database")
	}
	for _, on := range s.Databases {
		t.Run(on.Open(nil).Name(), func(t *testing.T) {
			t.Run("counts", func(t *testing.T) { s.trial(t, on).counts(t) })
			t.Run("importers", func(t *testing.T) { s.trial(t, on).importers(t) })
		})
	}
}

// upsertTrial is an upsert on one database.
type upsertTrial[Row any] struct {
	UpsertDatabase[Row]
	suite UpsertSuite[Row]
	db    DB
}

func (s UpsertSuite[Row]) trial(t *testing.T, on UpsertDatabase[Row]) *upsertTrial[Row] {
	t.Helper()
	w := &upsertTrial[Row]{UpsertDatabase: on, suite: s, db: on.Open(t)}
	s.Create(t, w.db)
	query := "SELECT count(*) FROM pg_indexes WHERE indexname = $1"
	if w.db.Name() == "sqlite" {
		query = "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = $1"
	}
	if w.db.Count(t, query, on.Index) > 0 {
		return w
	}
	for _, path := range on.Migrations {
		text, err := migration.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		w.db.Exec(t, text)
	}
	return w
}

// fileRows is how many rows the file has, and batchRows a batch of an importer.
const (
	fileRows  = 60
	batchRows = 7
)

func (w *upsertTrial[Row]) file() []Row {
	rows := make([]Row, fileRows)
	for n := range rows {
		rows[n] = w.suite.Row(n + 1)
	}
	return rows
}

func (w *upsertTrial[Row]) want(t testing.TB, rows []Row, want upsert.Counts, why string) {
	t.Helper()
	got, err := w.Upsert(context.Background(), w.db, rows)
	if err != nil {
		t.Fatalf("%s: %v", why, err)
	}
	if got != want {
		t.Fatalf("%s: %+v; want %+v", why, got, want)
	}
}

// counts: what is there already is not written again.
func (w *upsertTrial[Row]) counts(t testing.TB) {
	t.Helper()
	rows := w.file()
	w.want(t, rows, upsert.Counts{Inserted: len(rows)}, "a file on an empty table; the fixture's rows have to differ in their keys")
	w.want(t, rows, upsert.Counts{Unchanged: len(rows)}, "the same file again; a trigger or the type of a column may change what is written")
	w.want(t, append(w.file(), rows...), upsert.Counts{Unchanged: len(rows), Folded: len(rows)}, "the same file twice in one call")
	w.holds(t)
}

// holds checks that the table holds the file, and nothing else.
func (w *upsertTrial[Row]) holds(t testing.TB) {
	t.Helper()
	if got := w.db.Count(t, "SELECT count(*) FROM "+w.suite.Table); got != fileRows {
		t.Fatalf("the table has %d rows; want the %d of the file", got, fileRows)
	}
	w.want(t, w.file(), upsert.Counts{Unchanged: fileRows}, "the file on a table that holds it")
}

// importers: imports that run beside each other, and are cut off, do no harm.
func (w *upsertTrial[Row]) importers(t testing.TB) {
	t.Helper()
	failures := make(chan error, int(racers))
	var group sync.WaitGroup
	for i := range int(racers) {
		group.Go(func() { failures <- w.importer(uint64(i)) })
	}
	group.Wait()
	close(failures)
	for err := range failures {
		if err != nil {
			t.Fatalf("an importer beside others: %v", err)
		}
	}
	w.holds(t)
}

// lives is how often an importer begins. It dies in all but the last.
const lives = 5

// importer imports the file, and dies again and again.
func (w *upsertTrial[Row]) importer(seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 0))
	rows := w.file()
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	batches := slices.Collect(slices.Chunk(rows, batchRows))
	for life := range lives {
		end := len(batches)
		if life < lives-1 {
			end = random.IntN(len(batches))
		}
		for _, batch := range batches[:end] {
			if _, err := w.Upsert(context.Background(), w.db, batch); err != nil {
				return err
			}
		}
		if end < len(batches) {
			if err := w.cutOff(batches[end]); err != nil {
				return err
			}
		}
	}
	return nil
}

// cutOff begins a batch, and gives up on it meanwhile. How far it got is up to
// chance.
func (w *upsertTrial[Row]) cutOff(batch []Row) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		close(begun)
		_, err := w.Upsert(ctx, w.db, batch)
		ended <- err
	}()
	<-begun
	cancel()
	err := <-ended
	if err != nil && !errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return err
	}
	return nil
}
