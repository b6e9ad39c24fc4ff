package sqlitestore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

func TestFaults(t *testing.T) {
	storetest.RunFaults(t, func(t testing.TB, wire *storetest.Wire) storetest.Harness {
		db := open(t)
		behind := sql.OpenDB(wired{db.SQL(), wire.Do})
		t.Cleanup(func() { _ = behind.Close() })
		return storetest.Harness{
			Store:   sqlitestore.New(behind, sqlitestore.WithClock(sqlitetest.Clock)),
			Advance: db.Advance, Table: db.Table(), Exec: db.Exec, Count: db.Count,
		}
	})
}

// wired is a database behind a wire, as a driver: its connections only pass
// statements on.
type wired struct {
	db *sql.DB
	do func(ctx context.Context, query string, run func(context.Context) error) error
}

func (w wired) Connect(context.Context) (driver.Conn, error) { return w, nil }
func (w wired) Driver() driver.Driver                        { return nil }
func (w wired) Close() error                                 { return nil }
func (w wired) Begin() (driver.Tx, error)                    { panic("a transaction") }
func (w wired) Prepare(string) (driver.Stmt, error)          { panic("a prepared statement") }

func (w wired) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (result driver.Result, err error) {
	err = w.do(ctx, query, func(ctx context.Context) error {
		result, err = w.db.ExecContext(ctx, query, values(args)...)
		return err
	})
	return result, err
}

func (w wired) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (_ driver.Rows, err error) {
	var read rowBuffer
	err = w.do(ctx, query, func(ctx context.Context) error {
		rows, err := w.db.QueryContext(ctx, query, values(args)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		return read.fill(rows)
	})
	return &read, err
}

func values(args []driver.NamedValue) []any {
	list := make([]any, len(args))
	for i, arg := range args {
		list[i] = arg.Value
	}
	return list
}

// rowBuffer is rows that were read to the end.
type rowBuffer struct {
	columns []string
	rows    [][]any
}

func (b *rowBuffer) fill(rows *sql.Rows) (err error) {
	if b.columns, err = rows.Columns(); err != nil {
		return err
	}
	for rows.Next() {
		row := make([]any, len(b.columns))
		dest := make([]any, len(row))
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		b.rows = append(b.rows, row)
	}
	return rows.Err()
}

func (b *rowBuffer) Columns() []string { return b.columns }
func (b *rowBuffer) Close() error      { return nil }

func (b *rowBuffer) Next(dest []driver.Value) error {
	if len(b.rows) == 0 {
		return io.EOF
	}
	for i, v := range b.rows[0] {
		dest[i] = v
	}
	b.rows = b.rows[1:]
	return nil
}
