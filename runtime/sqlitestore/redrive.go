package sqlitestore

import (
	"context"
	"database/sql"

	idem "github.com/idemgen/idemgen/runtime"
)

// Undelivered implements [idem.Maintainer] in one statement.
func (s *Store) Undelivered(ctx context.Context, handler string, after idem.Undelivered, limit int) ([]idem.Undelivered, error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	var list []idem.Undelivered
	args := []any{after.Created, string(after.Key), max(0, limit), handler}
	err := s.query(ctx, s.upkeep.undelivered, args, func(row *sql.Rows) error {
		var u idem.Undelivered
		err := row.Scan(&u.Key, &u.Created, &u.Payload)
		list = append(list, u)
		return err
	})
	return list, s.runs.explain(err)
}
