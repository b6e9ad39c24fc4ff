package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var (
	_ idem.OrderStore   = (*Store)(nil)
	_ protocol.Entities = entities{}
)

// Enter implements [idem.Entities] in two statements.
func (s *Store) Enter(ctx context.Context, req idem.EntityRequest) (idem.Entity, error) {
	if err := s.entities.current(ctx); err != nil {
		return idem.Entity{}, err
	}
	entity, err := protocol.Enter(ctx, s.entities, req)
	return entity, s.entities.explain(err)
}

// Apply implements [idem.Entities] in one statement.
func (s *Store) Apply(ctx context.Context, token idem.EntityToken, version int64) error {
	return s.entities.explain(protocol.Apply(ctx, s.entities, token, version))
}

// Leave implements [idem.Entities] in one statement.
func (s *Store) Leave(ctx context.Context, token idem.EntityToken) error {
	return s.entities.explain(protocol.Leave(ctx, s.entities, token))
}

// Keep implements [idem.Entities] in one statement.
func (s *Store) Keep(ctx context.Context, token idem.EntityToken, lease time.Duration) error {
	return s.entities.explain(protocol.Keep(ctx, s.entities, token, lease))
}

// PurgeEntities implements [idem.OrderStore]: for each 1,000 entities, one
// statement that finds them and one that deletes them. After an error, what it
// had deleted stays deleted.
func (s *Store) PurgeEntities(ctx context.Context, handler string, retain time.Duration, limit int) (int, error) {
	if retain <= 0 { // kept for ever
		return 0, nil
	}
	if err := s.entities.current(ctx); err != nil {
		return 0, err
	}
	n, err := protocol.Upkeep{
		Rows: "entities",
		Find: func(ctx context.Context, after protocol.Behind, limit int) ([]protocol.Place, error) {
			return s.places(ctx, s.entities.order.idle, after, limit, handler, micros(retain))
		},
		Write: func(ctx context.Context, names []string) (int, error) {
			return s.write(ctx, s.entities.order.forget, names, micros(retain), handler)
		},
	}.Run(ctx, limit)
	return n, s.entities.explain(err)
}

// entities is the table of entities, a method a statement. Its handle, and what is
// said of errors, are those of a table of runs.
type entities struct {
	runs
	order   orderStatements
	version *protocol.Schema
}

func newEntities(r runs, clock string) entities {
	order := newOrderStatements(r.table, clock)
	r.table += "_order"
	return entities{runs: r, order: order, version: new(protocol.Schema)}
}

// on is the same table by way of another handle.
func (e entities) on(db DB) entities {
	e.runs = e.runs.on(db)
	return e
}

// current checks that the table is of the version that the store is for, in a
// statement of its own at its first use.
func (e entities) current(ctx context.Context) error {
	return e.version.Check(ctx, e.table, e.says(e.order.schema))
}

func (e entities) Look(ctx context.Context, handler, entity string) (idem.Entity, bool, error) {
	return e.entity(ctx, e.order.look, handler, entity)
}

func (e entities) Place(ctx context.Context, req idem.EntityRequest) (idem.Entity, bool, error) {
	return e.entity(ctx, e.order.place, req.Handler, req.Entity, string(req.Key), uuid(req.Owner), micros(req.Lease))
}

func (e entities) Enter(ctx context.Context, seen idem.Entity, req idem.EntityRequest) (idem.Entity, bool, error) {
	return e.entity(ctx, e.order.enter, req.Handler, req.Entity, string(req.Key), uuid(req.Owner), micros(req.Lease),
		seen.Lease, uuid(seen.Owner), pgtype.Int8{Int64: seen.Version, Valid: seen.Applied})
}

func (e entities) Apply(ctx context.Context, token idem.EntityToken, version int64) (bool, error) {
	n, err := e.exec(ctx, e.order.apply, token.Handler, token.Entity, uuid(token.Owner), token.Lease, version)
	return n > 0, err
}

func (e entities) Leave(ctx context.Context, token idem.EntityToken) (bool, error) {
	n, err := e.exec(ctx, e.order.leave, token.Handler, token.Entity, uuid(token.Owner), token.Lease)
	return n > 0, err
}

func (e entities) Keep(ctx context.Context, token idem.EntityToken, lease time.Duration) (bool, error) {
	n, err := e.exec(ctx, e.order.keep, token.Handler, token.Entity, uuid(token.Owner), token.Lease, micros(lease))
	return n > 0, err
}

// entity runs a statement that yields at most one entity.
func (e entities) entity(ctx context.Context, sql string, args ...any) (idem.Entity, bool, error) {
	return one(ctx, e.runs, scanEntity, sql, args...)
}

func scanEntity(row pgx.Row, asked time.Time) (idem.Entity, error) {
	entity := idem.Entity{Asked: asked}
	var owner pgtype.UUID
	var remaining pgtype.Interval
	err := row.Scan(&entity.Handler, &entity.Name, &entity.Version, &entity.Applied, &entity.Lease,
		&entity.Key, &owner, &entity.Held, &remaining)
	entity.Owner, entity.Remaining = owner.Bytes, span(remaining)
	return entity, err
}
