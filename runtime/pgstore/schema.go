package pgstore

import "context"

// comment has what a table's comment says, and whether there is a table.
const comment = `VALUES (to_regclass($1) IS NOT NULL, coalesce(obj_description(to_regclass($1), 'pg_class'), ''))`

// current checks that the table is of the version that the store is for, in a
// statement of its own at the store's first use. The version is in the table's
// comment, which every role may read.
func (s *Store) current(ctx context.Context) error {
	return s.schema.Check(ctx, s.runs.table, s.runs.says(s.upkeep.schema))
}

// says asks what the table says of itself.
func (r runs) says(sql string) func(context.Context) (text string, there bool, err error) {
	return func(ctx context.Context) (text string, there bool, err error) {
		err = r.connected(ctx, func(db DB) error { return db.QueryRow(ctx, sql, r.table).Scan(&there, &text) })
		return text, there, err
	}
}
