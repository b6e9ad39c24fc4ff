package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var _ idem.Store = (*Store)(nil)

// Store is an [idem.Store] on Postgres.
type Store struct {
	runs  runs
	table protocol.Table // the same, with what goes together

	lockTimeout time.Duration

	entities entities
	upkeep   upkeep
	schema   protocol.Schema
}

// Option changes what New returns.
type Option func(*options)

type options struct {
	table, clock string
	coalesce     bool // what is asked at the same time
	always       bool // as if there were more of it
	lockTimeout  time.Duration
}

// WithTable names the table of runs, job_runs if this option is not given.
// The name may be schema-qualified.
func WithTable(name string) Option { return func(o *options) { o.table = name } }

// WithClock replaces the database's clock, for tests: an SQL expression of
// type timestamptz that yields the time it is.
func WithClock(expr string) Option { return func(o *options) { o.clock = expr } }

// WithoutCoalescing has every claim and completion go in a statement of its own,
// also where many wait for a connection.
func WithoutCoalescing() Option { return func(o *options) { o.coalesce = false } }

// New returns the store in a database that the migrations were applied to.
// It panics if the table's name is not one that idemgen writes.
func New(db DB, opts ...Option) *Store {
	o := options{table: "job_runs", clock: "clock_timestamp()", coalesce: true, lockTimeout: defaultLockTimeout}
	for _, opt := range opts {
		opt(&o)
	}
	protocol.MustBeTable(o.table)
	sql := newStatements(o.table, o.clock)
	s := &Store{
		runs:        runs{db: db, table: o.table, sql: &sql, plans: &plans{replanned: sql}},
		lockTimeout: o.lockTimeout,
		upkeep:      newUpkeep(o.table, o.clock),
	}
	s.entities = newEntities(s.runs, o.clock)
	s.table = s.runs
	if pool, shared := db.(*pgxpool.Pool); shared && o.coalesce {
		s.table = protocol.Coalesce(s.runs, int(pool.Config().MaxConns), o.always)
	}
	return s
}

// Claim implements [idem.Store]: one statement for a new key, two for a
// duplicate, one for a duplicate that is known to be a redelivery.
func (s *Store) Claim(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if err := s.current(ctx); err != nil {
		return idem.Record{}, err
	}
	rec, err := protocol.Claim(ctx, s.table, req)
	return rec, s.runs.explain(err)
}

// Complete implements [idem.Store].
func (s *Store) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	return s.runs.explain(protocol.Complete(ctx, s.table, token, outcome))
}

// Release implements [idem.Store].
func (s *Store) Release(ctx context.Context, token idem.Token, release idem.Release) error {
	return s.runs.explain(protocol.Release(ctx, s.table, token, release))
}

// Extend implements [idem.Store].
func (s *Store) Extend(ctx context.Context, token idem.Token, lease time.Duration) error {
	return s.runs.explain(protocol.Extend(ctx, s.table, token, lease))
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
