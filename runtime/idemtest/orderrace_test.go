package idemtest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/internal/runstable"
)

// bookSpec is that of an ordered handler: all events are of one account, and their
// amount is their version.
var bookSpec = idem.Spec{Handler: "notify", Lease: 2 * time.Minute, Attempts: 20, Retain: time.Hour, Ordered: true}

type ordering func(event) idem.Order

func bookOrder(e event) idem.Order {
	return idem.NewOrder(idem.At("event.Amount", e.Amount), idem.Literal("account:"), idem.String("event.Account", "7"))
}

// bookOnceWith is a wrapper in the shape of a generated one.
func bookOnceWith(spec idem.Spec, order ordering) wrapper {
	return func(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
		key, err := notifyKey(e)
		if err != nil {
			return receipt{}, err
		}
		run, err := idem.Claim[receipt](ctx, store, spec, key, idem.WithFingerprint(notifyFingerprint(e)), idem.WithOrder(order(e)))
		if err != nil {
			return receipt{}, err
		}
		if stored, ok := run.Replay(); ok {
			return stored, nil
		}
		defer run.Close()
		fresh, err := handle(run.Context(), e)
		return run.Complete(fresh, err)
	}
}

// book is the same in a transaction.
func book[T any](order ordering) txWrapper {
	return func(ctx context.Context, store idem.Store, e event, handle standIn) (receipt, error) {
		key, err := notifyKey(e)
		if err != nil {
			return receipt{}, err
		}
		run, err := idem.ClaimTx[T, receipt](ctx, store, bookSpec, key, idem.WithFingerprint(notifyFingerprint(e)), idem.WithOrder(order(e)))
		if err != nil {
			return receipt{}, err
		}
		if stored, ok := run.Replay(); ok {
			return stored, nil
		}
		return run.Commit(func(ctx context.Context, tx T) (receipt, error) { return handle(idemtest.WithTx(ctx, tx)) })
	}
}

func orderDatabases(t testing.TB) []idemtest.Opener {
	t.Helper()
	up := func(dialect string) []string {
		return []string{runstable.Migration(t, dialect, "job_runs"), runstable.Order(t, dialect, "job_runs")}
	}
	return []idemtest.Opener{
		pgtest.Open(pgtest.Config{Migrations: up("postgres")}),
		sqlitetest.Open(sqlitetest.Config{Migrations: up("sqlite")}),
	}
}

func orderSuite(t testing.TB, spec idem.Spec) idemtest.Suite[receipt] {
	t.Helper()
	s := suite(t, spec)
	s.Databases = orderDatabases(t)
	s.Deliver = deliver(bookOnceWith(spec, bookOrder))
	return s
}

func orderTxSuite(t testing.TB, open idemtest.Opener, order ordering) idemtest.Suite[receipt] {
	s := orderSuite(t, bookSpec)
	s.Databases, s.Transactional = []idemtest.Opener{open}, true
	s.Deliver = delivering(book[pgx.Tx](order))
	if open(nil).Name() == "sqlite" {
		s.Deliver = delivering(book[*sql.Tx](order))
	}
	return s
}

func TestRaceOfAnOrderedHandler(t *testing.T) {
	s := orderSuite(t, bookSpec)
	s.Real = deduping
	idemtest.Race(t, s)
}

// A version whose only attempt is used up is dead, and no obstacle to others.
func TestRaceOfAnOrderedHandlerWithOneAttempt(t *testing.T) {
	spec := bookSpec
	spec.Attempts = 1
	idemtest.Race(t, orderSuite(t, spec))
}

func TestRaceOfAnOrderedTransactionalHandler(t *testing.T) {
	for _, open := range orderDatabases(t) {
		t.Run(open(nil).Name(), func(t *testing.T) { idemtest.Race(t, orderTxSuite(t, open, bookOrder)) })
	}
}

// The orders with a fault.

func ownEntities(e event) idem.Order {
	return idem.NewOrder(idem.At("event.Amount", e.Amount), idem.String("event.ID", e.ID))
}

func oneVersion(event) idem.Order {
	return idem.NewOrder(idem.At("event.Amount", 1), idem.Literal("account:7"))
}

func falling(e event) idem.Order {
	return idem.NewOrder(idem.At("event.Amount", -e.Amount), idem.Literal("account:7"))
}

func timelyVersions(event) idem.Order {
	return idem.NewOrder(idem.AtTime("event.At", time.Now()), idem.Literal("account:7"))
}

func randomEntities(e event) idem.Order {
	return idem.NewOrder(idem.At("event.Amount", e.Amount), idem.String("owner", fmt.Sprintf("%x", idem.NewOwner())))
}

func noVersion(event) idem.Order {
	return idem.NewOrder(idem.AtTime("event.At", time.Time{}), idem.Literal("account:7"))
}

func noEntity(e event) idem.Order {
	return idem.NewOrder(idem.At("event.Amount", e.Amount), idem.String("event.Account", ""))
}

// The wrappers with a fault.

// unordered is a wrapper that its directive was taken from.
var unordered = notifyOnceWith(notifySpec)

// inSpiteOf runs the handler where the wrapper has an error for an answer.
func inSpiteOf(answer error) wrapper {
	return func(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
		got, err := bookOnceWith(bookSpec, bookOrder)(ctx, store, e, handle)
		if errors.Is(err, answer) {
			_, _ = handle(ctx, e)
		}
		return got, err
	}
}

// hiding is a wrapper that takes an answer for a success.
func hiding(answer error) wrapper {
	return func(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
		got, err := bookOnceWith(bookSpec, bookOrder)(ctx, store, e, handle)
		if errors.Is(err, answer) {
			err = nil
		}
		return got, err
	}
}

// staleAt is a wrapper that takes one version for stale.
func staleAt(version int) wrapper {
	return func(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
		if e.Amount == version {
			return receipt{}, idem.ErrStale
		}
		return bookOnceWith(bookSpec, bookOrder)(ctx, store, e, handle)
	}
}

// unanswering is a wrapper that has an error for who is not the first.
func unanswering(ctx context.Context, store idem.Store, e event, handle handler) (receipt, error) {
	ran := false
	got, err := bookOnceWith(bookSpec, bookOrder)(ctx, store, e, func(ctx context.Context, e event) (receipt, error) {
		ran = true
		return handle(ctx, e)
	})
	if err == nil && !ran {
		err = errors.New("no answer")
	}
	return got, err
}

// What wrappers do beside their work.

// passBy enters and leaves another entity.
func passBy(ctx context.Context, db idemtest.DB, n int) {
	store := db.Store().(idem.OrderStore)
	entity, err := store.Enter(ctx, idem.EntityRequest{Handler: "notify", Entity: fmt.Sprint(n), Key: "notify:other", Owner: idem.NewOwner(), Lease: time.Minute})
	if err == nil {
		_ = store.Leave(ctx, entity.Token())
	}
}

func claimAnother(ctx context.Context, db idemtest.DB, _ int) {
	_, _ = db.Store().Claim(ctx, idem.ClaimRequest{Key: "other", Handler: "notify", Owner: idem.NewOwner(), Lease: time.Hour, Attempts: 1})
}

// The stores with a fault.

// unversioned never finds a version too old.
type unversioned struct{ idem.OrderStore }

func (s unversioned) Enter(ctx context.Context, req idem.EntityRequest) (idem.Entity, error) {
	req.Version = 1 << 62
	return s.OrderStore.Enter(ctx, req)
}

// crowded lets everybody in.
type crowded struct{ idem.OrderStore }

func (crowded) Enter(_ context.Context, req idem.EntityRequest) (idem.Entity, error) {
	return idem.Entity{Handler: req.Handler, Name: req.Entity, Owner: req.Owner, Held: true}, nil
}

func (crowded) Apply(context.Context, idem.EntityToken, int64) error { return nil }

func (crowded) Leave(context.Context, idem.EntityToken) error { return nil }

// unapplied forgets what was applied.
type unapplied struct{ idem.OrderStore }

func (s unapplied) Apply(ctx context.Context, token idem.EntityToken, _ int64) error {
	return s.Leave(ctx, token)
}

// idle does nothing when a version is to be applied, so that the entity stays held.
type idle struct{ idem.OrderStore }

func (idle) Apply(context.Context, idem.EntityToken, int64) error { return nil }

// unfencedEntities applies whatever comes, and from whom.
type unfencedEntities struct {
	idem.OrderStore
	db idemtest.DB
}

func (s unfencedEntities) Apply(ctx context.Context, token idem.EntityToken, version int64) error {
	_ = s.OrderStore.Apply(ctx, token, version)
	_, err := s.db.SQL().ExecContext(ctx, "UPDATE job_runs_order SET due = NULL, version = $1", version)
	return err
}

// dishonest is the same, but says that it did not.
type dishonest struct{ unfencedEntities }

func (s dishonest) Apply(ctx context.Context, token idem.EntityToken, version int64) error {
	refused := s.OrderStore.Apply(ctx, token, version)
	if err := s.unfencedEntities.Apply(ctx, token, version); err != nil {
		return err
	}
	return refused
}

// staying never leaves an entity whose version was applied, from one on.
type staying struct {
	idem.OrderStore
	from int64
}

func (s staying) Apply(ctx context.Context, token idem.EntityToken, version int64) error {
	if err := s.OrderStore.Apply(ctx, token, version); err != nil || version < s.from {
		return err
	}
	_, err := s.Enter(ctx, idem.EntityRequest{Handler: token.Handler, Entity: token.Entity, Version: version, Key: "notify:other", Owner: idem.Owner{1}, Lease: time.Minute})
	return err
}
