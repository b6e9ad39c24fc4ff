package pgstore

import "context"

// current checks that the table is of the version that the store is for, in a
// statement of its own at the store's first use. The version is in the table's
// comment, which every role may read.
func (s *Store) current(ctx context.Context) error {
	return s.schema.Check(ctx, s.runs.table, func(ctx context.Context) (says string, there bool, err error) {
		err = s.runs.connected(ctx, func(db DB) error {
			return db.QueryRow(ctx, s.upkeep.schema, s.runs.table).Scan(&there, &says)
		})
		return says, there, err
	})
}
