package pgstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// event asks for an entity.
func event(entity string, version int64) idem.EntityRequest {
	return idem.EntityRequest{Handler: "notify", Entity: entity, Version: version, Key: "notify:1", Owner: idem.NewOwner(), Lease: lease}
}

func enter(t testing.TB, store idem.OrderStore, req idem.EntityRequest) idem.EntityToken {
	t.Helper()
	entity, err := store.Enter(context.Background(), req)
	if err != nil || !entity.HeldBy(req.Owner) {
		t.Fatalf("enter %q: got %+v, %v", req.Entity, entity, err)
	}
	return entity.Token()
}

// The statements about entities keep their index, as those about runs do: whatever
// was known of the table when a connection prepared them.
func TestOrderKeepsItsIndexes(t *testing.T) {
	inYoungTables(t, "job_runs_order", fillEntities, everyOrderStatement, func(t *testing.T, db idemtest.DB, conn *pgx.Conn) {
		wantNoScanOfEntities(t, conn)
		db.Exec(t, `ANALYZE job_runs_order`)
		wantNoScanOfEntities(t, conn)
	})
}

// fillEntities makes 20,000 entities, a few of them held, that were last touched over
// 40 days.
const fillEntities = `INSERT INTO job_runs_order (handler, entity, version, lease, key, owner, due, applied_at, created_at)
	SELECT CASE WHEN i % 3 = 0 THEN 'charge' ELSE 'notify' END, 'old:' || i, i, 1, 'notify:' || i, gen_random_uuid(),
		CASE WHEN i > 19900 THEN at + interval '1 hour' END, at, at - interval '1 day'
	FROM (SELECT i, clock_timestamp() - (20000 - i) * interval '3 minutes' AS at FROM generate_series(1, 20000) AS i) AS entities`

// everyOrderStatement makes each statement about entities at least once.
func everyOrderStatement(t *testing.T, store *pgstore.Store) {
	t.Helper()
	ctx := t.Context()
	token := enter(t, store, event("account:7", 1))
	must(t, store.Keep(ctx, token, lease))
	must(t, store.Leave(ctx, token))
	must(t, store.Apply(ctx, enter(t, store, event("account:7", 1)), 1))
	if entity, err := store.Enter(ctx, event("account:7", 0)); err != nil || !entity.Stale(0) {
		t.Errorf("got %+v, %v", entity, err)
	}
	for _, retain := range []time.Duration{1000 * time.Hour, 900 * time.Hour, time.Microsecond} {
		n, err := store.PurgeEntities(ctx, "notify", retain, 100)
		must(t, err)
		if n == 0 && retain == time.Microsecond {
			t.Error("nothing to delete")
		}
	}
}

func wantNoScanOfEntities(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	must(t, err)
	before := accessesOf(t, tx, "job_runs_order")
	everyOrderStatement(t, pgstore.New(tx))
	after := accessesOf(t, tx, "job_runs_order")
	scans, searches, rows := after[0]-before[0], after[1]-before[1], after[2]-before[2]
	if scans > 0 || searches == 0 || rows > 1000 {
		t.Errorf("%d scans of the table, and %d searches by an index, which read %d rows", scans, searches, rows)
	}
	must(t, tx.Rollback(t.Context()))
}

// To enter, to keep and to leave an entity touches no index.
func TestEnteringIsHOT(t *testing.T) {
	db := open(t)
	conn := connectOne(t, db)
	tx, err := conn.Begin(t.Context())
	must(t, err)
	store := pgstore.New(tx)
	must(t, store.Leave(t.Context(), enter(t, store, event("account:7", 1))))
	token := enter(t, store, event("account:7", 1))
	must(t, store.Keep(t.Context(), token, lease))
	must(t, store.Leave(t.Context(), token))
	var updates, hot int
	must(t, tx.QueryRow(t.Context(), "SELECT pg_stat_get_xact_tuples_updated('job_runs_order'::regclass), pg_stat_get_xact_tuples_hot_updated('job_runs_order'::regclass)").Scan(&updates, &hot))
	if updates != 4 || hot != 4 {
		t.Errorf("%d of %d updates were HOT", hot, updates)
	}
	must(t, tx.Rollback(t.Context()))
}

// deliverInOrder is an ordered delivery, in a transaction or not.
func deliverInOrder(ctx context.Context, store *pgstore.Store, inTx bool, key idem.Key, entity string, version int64, handlerErr error) {
	spec := idem.Spec{Handler: "notify", Lease: lease, Attempts: 99, Ordered: true}
	order := idem.WithOrder(idem.NewOrder(idem.At("v", version), idem.Literal(entity)))
	if inTx {
		run, err := idem.ClaimTx[pgx.Tx, int](ctx, store, spec, key, order)
		if err != nil {
			return
		}
		if _, ok := run.Replay(); !ok {
			_, _ = run.Commit(func(context.Context, pgx.Tx) (int, error) { return 1, handlerErr })
		}
		return
	}
	run, err := idem.Claim[int](ctx, store, spec, key, order)
	if err != nil {
		return
	}
	if _, ok := run.Replay(); !ok {
		_, _ = run.Complete(1, handlerErr)
	}
}

// How many round trips an ordered delivery takes, beside its handler's own.
func TestOrderRoundTrips(t *testing.T) {
	store, _, w := watching(t, open(t))
	no := errors.New("no")
	for mode, want := range map[string]map[string]int{
		"leases":       {"first of an entity": 5, "of a known entity": 5, "stale": 3, "busy": 3, "failed": 5, "duplicate": 2},
		"transactions": {"first of an entity": 6, "of a known entity": 6, "stale": 4, "busy": 3, "failed": 7, "duplicate": 3},
	} {
		deliver := func(name, entity string, version int64, handlerErr error) {
			deliverInOrder(t.Context(), store, mode == "transactions", idem.Key("notify:"+mode+" "+name), mode+entity, version, handlerErr)
		}
		held := enter(t, store, event(mode+"held", 1))
		deliver("warm", "warm", 2, nil)
		deliver("warm again", "warm", 2, no)
		deliver("warm again", "warm", 2, nil)
		deliver("warm stale", "warm", 1, nil)
		deliver("warm busy", "held", 1, nil)
		for _, step := range []struct {
			name, key, entity string
			version           int64
			err               error
		}{
			{"first of an entity", "1", "account:7", 2, nil},
			{"of a known entity", "2", "account:7", 3, nil},
			{"stale", "3", "account:7", 1, nil},
			{"busy", "4", "held", 1, nil},
			{"failed", "5", "account:7", 4, no},
			{"duplicate", "1", "account:7", 2, nil},
		} {
			if got := w.tripsOf(func() { deliver(step.key, step.entity, step.version, step.err) }); got != want[step.name] {
				t.Errorf("%s, %s: %d round trips; want %d", mode, step.name, got, want[step.name])
			}
		}
		must(t, store.Leave(t.Context(), held))
	}
}

// everyOrderCall is each call about entities, with something to do for it.
func everyOrderCall(t *testing.T, owner *pgstore.Store) map[string]func(*pgstore.Store) error {
	ctx := context.Background()
	held := func(entity string) idem.EntityToken { return enter(t, owner, event(entity, 1)) }
	must(t, owner.Apply(ctx, held("account:old"), 1))
	toApply, toLeave, toKeep := held("account:1"), held("account:2"), held("account:3")
	return map[string]func(*pgstore.Store) error{
		"enter": func(s *pgstore.Store) error { _, err := s.Enter(ctx, event("account:new", 1)); return err },
		"apply": func(s *pgstore.Store) error { return s.Apply(ctx, toApply, 1) },
		"leave": func(s *pgstore.Store) error { return s.Leave(ctx, toLeave) },
		"keep":  func(s *pgstore.Store) error { return s.Keep(ctx, toKeep, lease) },
		"purge entities": func(s *pgstore.Store) error {
			_, err := s.PurgeEntities(ctx, "notify", time.Microsecond, 9)
			return err
		},
	}
}

// The table of entities has a version of its own.
func TestOrderSchema(t *testing.T) {
	db := open(t)
	pool := pgtest.Pool(db)
	firsts := map[string]func(*pgstore.Store) error{
		"enter": func(s *pgstore.Store) error { _, err := s.Enter(t.Context(), event("account:7", 1)); return err },
		"purge": func(s *pgstore.Store) error { _, err := s.PurgeEntities(t.Context(), "notify", lease, 9); return err },
		"in a transaction": func(s *pgstore.Store) error {
			_, tx, err := s.ClaimTx(t.Context(), request("notify:tx"))
			must(t, err)
			defer tx.Rollback(t.Context())
			_, err = tx.(idem.Entities).Enter(t.Context(), event("account:8", 1))
			return err
		},
	}
	for name, call := range firsts {
		store := pgstore.New(pool, pgstore.WithClock(pgtest.Clock))
		db.Exec(t, "COMMENT ON TABLE job_runs_order IS 'idemgen schema 7'")
		err := call(store)
		var schema *idem.SchemaError
		if !errors.As(err, &schema) || schema.Table != "job_runs_order" || schema.Found != 7 {
			t.Errorf("%s: %v", name, err)
		}
		db.Exec(t, "COMMENT ON TABLE job_runs_order IS 'idemgen schema 1'")
		if err := call(store); err != nil {
			t.Errorf("%s, mended: %v", name, err)
		}
		db.Exec(t, "ALTER TABLE job_runs_order RENAME TO elsewhere")
		if err := call(store); err == nil || !strings.Contains(err.Error(), "table job_runs_order is not there; run the migrations") {
			t.Errorf("%s, no table: %v", name, err)
		}
		db.Exec(t, "ALTER TABLE elsewhere RENAME TO job_runs_order")
	}
	if n := pool.Stat().AcquiredConns(); n > 0 {
		t.Errorf("%d connections are held", n)
	}
}
