package idemtest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/internal/runstable"
)

type event struct {
	ID     string
	Amount int
}

type receipt struct {
	MessageID string
	Sent      int
	At        *time.Time
}

var notifySpec = idem.Spec{Handler: "notify", Lease: 2 * time.Minute, Attempts: 20, Retain: time.Hour}

func notifyKey(e event) (idem.Key, error) {
	return notifySpec.Key(idem.Literal("notify:"), idem.String("event.ID", e.ID))
}

func notifyFingerprint(e event) idem.Fingerprint {
	return idem.NewFingerprint(idem.Value("event.Amount", e.Amount))
}

// notifyOnceWith is a wrapper in the shape of a generated one.
func notifyOnceWith(spec idem.Spec) func(context.Context, idem.Store, event, func(context.Context, event) (receipt, error)) (receipt, error) {
	return func(ctx context.Context, store idem.Store, e event, handle func(context.Context, event) (receipt, error)) (receipt, error) {
		key, err := notifyKey(e)
		if err != nil {
			return receipt{}, err
		}
		run, err := idem.Claim[receipt](ctx, store, spec, key, idem.WithFingerprint(notifyFingerprint(e)))
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

func notifyArgs(n int) event { return event{ID: fmt.Sprintf("evt_%d", n), Amount: n} }

func databases(t testing.TB) []idemtest.Opener {
	t.Helper()
	return []idemtest.Opener{
		pgtest.Open(pgtest.Config{Migrations: []string{runstable.Migration(t, "postgres", "job_runs")}}),
		sqlitetest.Open(sqlitetest.Config{Migrations: []string{runstable.Migration(t, "sqlite", "job_runs")}}),
	}
}

// suite is what a generated test says of its wrapper.
func suite(t testing.TB, spec idem.Spec) idemtest.Suite[receipt] {
	t.Helper()
	return idemtest.Suite[receipt]{
		Spec:      spec,
		Databases: databases(t),
		Key:       func(n int) (idem.Key, error) { return notifyKey(notifyArgs(n)) },
		Deliver: func(ctx context.Context, store idem.Store, n int, handle func(context.Context) (receipt, error)) (receipt, error) {
			return notifyOnceWith(spec)(ctx, store, notifyArgs(n), func(ctx context.Context, _ event) (receipt, error) {
				return handle(ctx)
			})
		},
	}
}

// rows is a handler whose effect is a row of its own table.
func rows(schema, insert string) func(testing.TB, idemtest.DB) *idemtest.Real[receipt] {
	return func(t testing.TB, db idemtest.DB) *idemtest.Real[receipt] {
		db.Exec(t, schema)
		return &idemtest.Real[receipt]{
			Handle: func(ctx context.Context, n int) (receipt, error) {
				_, err := db.SQL().ExecContext(ctx, insert, notifyArgs(n).ID)
				return receipt{MessageID: "m", Sent: n}, err
			},
			Effects: func(n int) int {
				return db.Count(t, "SELECT count(*) FROM notifications WHERE event = $1", notifyArgs(n).ID)
			},
		}
	}
}

var deduping = rows("CREATE TABLE notifications (event text PRIMARY KEY)", "INSERT INTO notifications VALUES ($1) ON CONFLICT DO NOTHING")

func TestRace(t *testing.T) {
	idemtest.Race(t, suite(t, notifySpec))
}

func TestRaceWithTheRealHandler(t *testing.T) {
	s := suite(t, notifySpec)
	s.Real = deduping
	idemtest.Race(t, s)
}

// A handler that is never to run again after a crash: its run is dead then.
func TestRaceWithOneAttempt(t *testing.T) {
	spec := notifySpec
	spec.Attempts = 1
	s := suite(t, spec)
	s.Real = deduping
	idemtest.Race(t, s)
}

func TestRaceWithoutResult(t *testing.T) {
	s := suite(t, notifySpec)
	idemtest.Race(t, idemtest.Suite[struct{}]{
		Spec:      notifySpec,
		Databases: s.Databases,
		Key:       s.Key,
		Deliver: func(ctx context.Context, store idem.Store, n int, handle func(context.Context) (struct{}, error)) (struct{}, error) {
			key, err := notifyKey(notifyArgs(n))
			if err != nil {
				return struct{}{}, err
			}
			run, err := idem.Claim[struct{}](ctx, store, notifySpec, key)
			if err != nil {
				return struct{}{}, err
			}
			if _, ok := run.Replay(); ok {
				return struct{}{}, nil
			}
			defer run.Close()
			// As for a handler with parameters for them.
			return run.Complete(handle(idemtest.WithDelivery(idemtest.WithKey(run.Context(), run.Key()), run.Delivery())))
		},
		Real: func(testing.TB, idemtest.DB) *idemtest.Real[struct{}] { return nil },
	})
}
