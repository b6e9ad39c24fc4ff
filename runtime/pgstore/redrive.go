package pgstore

import (
	"context"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// Undelivered implements [idem.Maintainer] in one statement.
func (s *Store) Undelivered(ctx context.Context, handler string, after idem.Undelivered, limit int) ([]idem.Undelivered, error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	var keys []string
	var created []time.Time
	var payloads [][]byte
	err := s.runs.do(ctx, func(db DB) error {
		return db.QueryRow(ctx, s.upkeep.undelivered, time.UnixMicro(after.Created), string(after.Key), max(0, limit), handler).
			Scan(&keys, &created, &payloads)
	})
	list := make([]idem.Undelivered, len(keys))
	for i, key := range keys {
		list[i] = idem.Undelivered{Key: idem.Key(key), Payload: payloads[i], Created: created[i].UnixMicro()}
	}
	return list, s.runs.explain(err)
}
