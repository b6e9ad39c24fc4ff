package sqlitestore

import (
	"context"
	"database/sql"
)

// current checks that the table is of the version that the store is for, in a
// statement of its own at the store's first use, which waits for no lock. SQLite
// keeps the text of a view, and the view of the runs has the version in a comment.
func (s *Store) current(ctx context.Context) error {
	return s.schema.Check(ctx, s.runs.table, s.runs.says(s.upkeep.schema))
}

// says asks what the table says of itself.
func (r runs) says(query string) func(context.Context) (text string, there bool, err error) {
	return func(ctx context.Context) (text string, there bool, err error) {
		ask := reading(ctx, query, nil, func(row *sql.Rows) error { return row.Scan(&there, &text) })
		if r.among != nil {
			err = ask(r.among)
		} else {
			err = r.connected(ctx, ask)
		}
		return text, there, err
	}
}

// query runs a statement that only reads, and has each row scanned.
func (s *Store) query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return s.runs.do(ctx, reading(ctx, query, args, scan))
}

func reading(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) func(querier) error {
	return func(conn querier) (err error) {
		rows, err := conn.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer func() {
			if closeErr := rows.Close(); err == nil {
				err = closeErr
			}
		}()
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}
