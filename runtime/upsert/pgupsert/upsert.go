package pgupsert

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/upsert"
)

// DB is what an upsert needs of pgx: a [*pgxpool.Pool], a [*pgx.Conn], or the
// [pgx.Tx] that the rows are to be committed with.
type DB interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Begin(ctx context.Context) (pgx.Tx, error)
}

var (
	_ DB = (*pgxpool.Pool)(nil)
	_ DB = (*pgx.Conn)(nil)
	_ DB = (pgx.Tx)(nil)
)

// Table says how rows of one type are written.
type Table[Row any] struct {
	upsert.Order[Row]
	Name string
	// Statement takes an array for each column, and returns whether a row was
	// inserted for each that it inserted or updated.
	Statement string
	// Columns returns the arrays.
	Columns func(rows []*Row) []any
}

// maxBytes keeps one statement below what Postgres takes in a message, a
// gigabyte.
const maxBytes = 256 << 20

// Upsert writes rows, all or none, and says what became of them. It sends one
// INSERT … SELECT FROM unnest … ON CONFLICT DO UPDATE, and only what is too
// large for one message in several, within a transaction.
func (t *Table[Row]) Upsert(ctx context.Context, db DB, rows []Row) (upsert.Counts, error) {
	if len(rows) == 0 {
		return upsert.Counts{}, nil
	}
	kept := t.Fold(rows)
	counts, err := t.send(ctx, db, kept, maxBytes)
	if err != nil {
		return upsert.Counts{}, fmt.Errorf("upsert into %s: %w%s", t.Name, err, hint(err))
	}
	counts.Folded = len(rows) - len(kept)
	return counts, nil
}

// send writes rows of which no two have one key.
func (t *Table[Row]) send(ctx context.Context, db DB, rows []*Row, limit int) (counts upsert.Counts, err error) {
	columns := t.Columns(rows)
	if len(rows) == 1 || size(columns) <= limit {
		return t.statement(ctx, db, columns, len(rows))
	}
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		half := len(rows) / 2
		for _, part := range [][]*Row{rows[:half], rows[half:]} {
			some, err := t.send(ctx, tx, part, limit)
			if err != nil {
				return err
			}
			counts = counts.Add(some)
		}
		return nil
	})
	return counts, err
}

func (t *Table[Row]) statement(ctx context.Context, db DB, columns []any, rows int) (counts upsert.Counts, err error) {
	answer, err := db.Query(ctx, t.Statement, columns...)
	if err != nil {
		return counts, err
	}
	defer answer.Close()
	for answer.Next() {
		// One byte in either format: 1 or t, 0 or f.
		if b := answer.RawValues()[0]; len(b) == 1 && (b[0] == 1 || b[0] == 't') {
			counts.Inserted++
		} else {
			counts.Updated++
		}
	}
	counts.Unchanged = rows - counts.Inserted - counts.Updated
	return counts, answer.Err()
}

// hint says what an error of the database means here.
func hint(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case e.Code == "21000":
			return "; two rows of the batch have keys that differ in Go and are equal to the database, because of a collation or a type such as citext: write them alike before"
		case e.Code == "0A000" && strings.Contains(e.Message, "system column"):
			return "; a table in partitions has no upserts: Postgres does not tell there what was inserted"
		case e.Code == "42P10":
			return "; run the migration with the unique index, which idemgen generated"
		}
	}
	return ""
}
