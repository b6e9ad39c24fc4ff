package sqlitestore

import (
	"context"
	"database/sql"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var _ idem.Store = (*Store)(nil)

// Store is an [idem.Store] on SQLite.
type Store struct {
	runs        runs
	lockTimeout time.Duration

	entities entities
	upkeep   upkeep
	schema   protocol.Schema
}

// Option changes what New returns.
type Option func(*options)

type options struct {
	table, clock string
	lockTimeout  time.Duration
}

// WithTable names the table of runs, job_runs if this option is not given.
// The name may be schema-qualified.
func WithTable(name string) Option { return func(o *options) { o.table = name } }

// WithClock replaces the database's clock, for tests: an SQL expression of
// type INTEGER that yields the milliseconds since 1970.
func WithClock(expr string) Option { return func(o *options) { o.clock = expr } }

// New returns the store in a database that the migrations were applied to.
// It panics if the table's name is not one that idemgen writes.
func New(db *sql.DB, opts ...Option) *Store {
	o := options{table: "job_runs", clock: "CAST(unixepoch('subsec') * 1000 AS INTEGER)", lockTimeout: defaultLockTimeout}
	for _, opt := range opts {
		opt(&o)
	}
	protocol.MustBeTable(o.table)
	r := runs{db: db, table: o.table, sql: newStatements(o.table, o.clock)}
	return &Store{runs: r, lockTimeout: o.lockTimeout, entities: newEntities(r, o.clock), upkeep: newUpkeep(o.table, o.clock)}
}

// Claim implements [idem.Store]: one statement for a new key, two for a
// duplicate, one for a duplicate that is known to be a redelivery.
func (s *Store) Claim(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if err := s.current(ctx); err != nil {
		return idem.Record{}, err
	}
	rec, err := protocol.Claim(ctx, s.runs, req)
	return rec, s.runs.explain(err)
}

// Complete implements [idem.Store].
func (s *Store) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	return s.runs.explain(protocol.Complete(ctx, s.runs, token, outcome))
}

// Release implements [idem.Store].
func (s *Store) Release(ctx context.Context, token idem.Token, release idem.Release) error {
	return s.runs.explain(protocol.Release(ctx, s.runs, token, release))
}

// Extend implements [idem.Store].
func (s *Store) Extend(ctx context.Context, token idem.Token, lease time.Duration) error {
	return s.runs.explain(protocol.Extend(ctx, s.runs, token, lease))
}

// Lookup implements [idem.Store].
func (s *Store) Lookup(ctx context.Context, key idem.Key) (idem.Record, error) {
	if err := s.current(ctx); err != nil {
		return idem.Record{}, err
	}
	rec, found, err := s.runs.Find(ctx, key)
	if err == nil && !found {
		err = idem.ErrNotFound
	}
	return rec, s.runs.explain(err)
}
