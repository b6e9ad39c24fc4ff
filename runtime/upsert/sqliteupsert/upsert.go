package sqliteupsert

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/runtime/upsert"
)

// DB is what an upsert needs of database/sql: a [*sql.DB], or the [*sql.Tx] that
// the rows are to be committed with. A [*sql.Conn] has to be in a transaction.
type DB interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

var (
	_ DB = (*sql.DB)(nil)
	_ DB = (*sql.Tx)(nil)
	_ DB = (*sql.Conn)(nil)
)

// Table says how rows of one type are written.
type Table[Row any] struct {
	upsert.Order[Row]
	Name string
	// Update changes the rows that are there and differ; it is empty where there
	// is nothing but the key. Insert writes those that are not. Both have {rows} where
	// the rows' parameters belong.
	Update, Insert string
	// Values returns a row's parameters.
	Values func(row *Row) []any
}

// The most of a statement: parameters, which is SQLite's limit, and rows, beyond
// which nothing gets faster.
const (
	maxParameters = 32766
	maxRows       = 500
)

// Upsert writes rows, all or none, and says what became of them. It sends an
// UPDATE … FROM and an INSERT … ON CONFLICT for each few hundred rows: in a
// transaction of its own if it is given a [*sql.DB].
func (t *Table[Row]) Upsert(ctx context.Context, db DB, rows []Row) (counts upsert.Counts, err error) {
	if len(rows) == 0 {
		return counts, nil
	}
	kept := t.Fold(rows)
	if pool, ok := db.(*sql.DB); ok {
		counts, err = t.transaction(ctx, pool, kept)
	} else {
		counts, err = t.send(ctx, db, kept)
	}
	if err != nil {
		return upsert.Counts{}, fmt.Errorf("upsert into %s: %w%s", t.Name, err, hint(err))
	}
	counts.Folded = len(rows) - len(kept)
	return counts, nil
}

func (t *Table[Row]) transaction(ctx context.Context, pool *sql.DB, rows []*Row) (upsert.Counts, error) {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return upsert.Counts{}, err
	}
	defer func() { _ = tx.Rollback() }() // after a commit nothing
	counts, err := t.send(ctx, tx, rows)
	if err != nil {
		return upsert.Counts{}, err
	}
	return counts, tx.Commit()
}

// send writes rows of which no two have one key. Its first statement writes, so
// that it waits for other writers and is not refused.
func (t *Table[Row]) send(ctx context.Context, db DB, rows []*Row) (counts upsert.Counts, err error) {
	width := len(t.Values(rows[0]))
	most := max(1, min(maxRows, maxParameters/width))
	for len(rows) > 0 {
		n := min(most, len(rows))
		some, err := t.statements(ctx, db, rows[:n], width)
		if err != nil {
			return counts, err
		}
		counts, rows = counts.Add(some), rows[n:]
	}
	return counts, nil
}

func (t *Table[Row]) statements(ctx context.Context, db DB, rows []*Row, width int) (counts upsert.Counts, err error) {
	args := make([]any, 0, len(rows)*width)
	for _, row := range rows {
		args = append(args, t.Values(row)...)
	}
	row := ", (" + strings.Repeat(", ?", width)[2:] + ")"
	places := strings.Repeat(row, len(rows))[2:]
	if t.Update != "" {
		if counts.Updated, err = affected(ctx, db, t.Update, places, args); err != nil {
			return counts, err
		}
	}
	if counts.Inserted, err = affected(ctx, db, t.Insert, places, args); err != nil {
		return counts, err
	}
	counts.Unchanged = len(rows) - counts.Inserted - counts.Updated
	return counts, nil
}

// affected runs a statement, and returns how many rows it wrote.
func affected(ctx context.Context, db DB, statement, places string, args []any) (int, error) {
	result, err := db.ExecContext(ctx, strings.Replace(statement, "{rows}", places, 1), args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// hint says what an error of the database means here. Drivers agree on SQLite's
// text, and on no type.
func hint(err error) string {
	if strings.Contains(err.Error(), "ON CONFLICT clause does not match") {
		return "; run the migration with the unique index, which idemgen generated"
	}
	return ""
}
