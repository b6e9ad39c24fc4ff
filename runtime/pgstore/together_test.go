package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// modes are the ways in which claims and completions are sent.
var modes = map[string]pgstore.Option{
	"apart":    pgstore.WithoutCoalescing(),
	"together": pgstore.Together(),
}

// The store is the same, whatever is sent together. By itself, it sends what is
// asked alone apart, and so did all other tests.
func TestStoreTogether(t *testing.T) {
	storetest.Run(t, inMode(pgstore.Together()))
}

func TestOneWinnerInEachMode(t *testing.T) {
	for name, option := range modes {
		t.Run(name, func(t *testing.T) { storetest.OneWinner(t, inMode(option), rounds(500), 8) })
	}
}

func inMode(option pgstore.Option) func(testing.TB) storetest.Harness {
	return func(t testing.TB) storetest.Harness {
		db := open(t)
		return storetest.Harness{
			Store:   pgstore.New(pgtest.Pool(db), pgstore.WithClock(pgtest.Clock), option),
			Advance: db.Advance, Table: db.Table(), Exec: db.Exec, Count: db.Count,
		}
	}
}

// atOnce claims new keys, all at the same time.
func atOnce(t *testing.T, store *pgstore.Store, keys ...idem.Key) map[idem.Key]error {
	t.Helper()
	errs := make(map[idem.Key]error, len(keys))
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, key := range keys {
		all.Go(func() {
			req := request(key)
			rec, err := store.Claim(t.Context(), req)
			if err == nil && (!rec.HeldBy(req.Owner) || rec.Attempt != 1 || rec.Remaining != lease) {
				err = fmt.Errorf("got %+v", rec)
			}
			mu.Lock()
			defer mu.Unlock()
			errs[key] = err
		})
	}
	all.Wait()
	return errs
}

// What the database refuses of one is not the others' concern.
func TestBadRowAmongOthers(t *testing.T) {
	db := open(t)
	store := pgstore.New(pgtest.Pool(db), pgstore.WithClock(pgtest.Clock), pgstore.Together())
	for range rounds(200) {
		keys := []idem.Key{"a\x00b"} // which is no text to Postgres
		for i := range 20 {
			keys = append(keys, idem.Key(fmt.Sprintf("notify:%d", i)))
		}
		for key, err := range atOnce(t, store, keys...) {
			var pgErr *pgconn.PgError
			if bad := key == keys[0]; bad != errors.As(err, &pgErr) || !bad && err != nil {
				t.Fatalf("%q: %v", key, err)
			}
		}
		db.Exec(t, "DELETE FROM job_runs")
	}
}

// A key that somebody else has locked keeps nobody waiting but who asks for it.
func TestLockedRowAmongOthers(t *testing.T) {
	db := open(t)
	b := blockages[0]
	tx := b.begin(t, db)
	store := pgstore.New(pgtest.Pool(db), pgstore.WithClock(pgtest.Clock), pgstore.Together())
	wait := claimInBackground(t.Context(), store, request("notify:1"))
	var keys []idem.Key
	for i := range 20 {
		keys = append(keys, idem.Key(fmt.Sprintf("notify:%d", i+2)))
	}
	for key, err := range atOnce(t, store, keys...) {
		if err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	must(t, tx.Rollback(t.Context()))
	if rec, err := wait(); err != nil || rec.Status != idem.StatusRunning {
		t.Errorf("the key that was locked: %+v, %v", rec, err)
	}
}

// Rows that go together wait for a lock briefly, and nothing is done to any of them
// then. The setting is gone with the statement.
func TestTogetherWaitsBriefly(t *testing.T) {
	db := open(t)
	config, err := pgxpool.ParseConfig(pgtest.URL(db))
	must(t, err)
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	must(t, err)
	defer pool.Close()
	store := pgstore.New(pool, pgstore.WithClock(pgtest.Clock))
	held, other := hold(t, store, "notify:held"), hold(t, store, "notify:other")
	tx := begin(t, db)
	execute(t, tx, `SELECT FROM job_runs WHERE key = 'notify:held' FOR UPDATE`)
	blockages[0].lock(t, db, tx)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := idem.Outcome{Status: idem.StatusDone}
	for name, err := range map[string]error{
		"claims":      store.InsertAll(ctx, request("notify:0"), request("notify:1"), request("notify:2")),
		"completions": store.CompleteAll(ctx, protocol.End{Token: other.Token(), Outcome: done}, protocol.End{Token: held.Token(), Outcome: done}),
	} {
		var pgErr *pgconn.PgError
		if !errors.As(err, &pgErr) || pgErr.Code != "55P03" {
			t.Errorf("%s: %v; want a lock timeout", name, err)
		}
	}
	if n := db.Count(t, `SELECT count(*) FROM job_runs WHERE status = 'done' OR key IN ('notify:0', 'notify:2')`); n != 0 {
		t.Errorf("%d rows were written", n)
	}
	var timeout string
	must(t, pool.QueryRow(ctx, `SHOW lock_timeout`).Scan(&timeout))
	if timeout != "0" {
		t.Errorf("lock_timeout stays %s", timeout)
	}
}

// Many deliveries at once, with duplicates, some of which give up: of each key
// there is one effect, and everybody gets the same result.
func TestManyAtOnce(t *testing.T) {
	for name, option := range modes {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			store := pgstore.New(pgtest.Pool(db), pgstore.WithClock(pgtest.Clock), option)
			var effects sync.Map
			var all sync.WaitGroup
			for i := range 64 {
				all.Go(func() {
					for j := range rounds(100) {
						key := idem.Key(fmt.Sprintf("notify:%d", (i/2+j)%50))
						ctx, cancel := context.WithCancel(t.Context())
						if (i+j)%7 == 0 {
							time.AfterFunc(time.Duration(i+j)*50*time.Microsecond, cancel)
						}
						if err := deliverEffect(ctx, store, key, &effects); err != nil {
							t.Error(err)
						}
						cancel()
					}
				})
			}
			all.Wait()
			if n := db.Count(t, "SELECT count(*) FROM job_runs WHERE status = 'running'"); n != 0 {
				t.Errorf("%d keys are held by nobody", n)
			}
		})
	}
}

// deliverEffect runs a key's work, whose result is another each time it is done.
func deliverEffect(ctx context.Context, store *pgstore.Store, key idem.Key, effects *sync.Map) error {
	spec := idem.Spec{Handler: "notify", Lease: lease, Attempts: 1000}
	run, err := idem.Claim[string](ctx, store, spec, key)
	if errors.Is(err, idem.ErrInProgress) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	got, ok := run.Replay()
	if !ok {
		defer run.Close()
		if got, err = run.Complete(idem.NewOwner().String(), nil); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if first, known := effects.LoadOrStore(key, got); known && first != got {
		return fmt.Errorf("%s: results %v and %v", key, first, got)
	}
	return nil
}

// What fails only at the commit was not done.
func TestRefusedAtTheCommit(t *testing.T) {
	db := open(t)
	db.Exec(t, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused at the commit'; END $$`)
	db.Exec(t, `CREATE CONSTRAINT TRIGGER refuse AFTER INSERT OR UPDATE ON job_runs DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW WHEN (NEW.key = 'notify:1' OR NEW.status = 'done') EXECUTE FUNCTION refuse()`)
	store := pgstore.New(pgtest.Pool(db), pgstore.WithClock(pgtest.Clock), pgstore.Together())
	var pgErr *pgconn.PgError
	if rec, err := store.Claim(t.Context(), request("notify:1")); !errors.As(err, &pgErr) {
		t.Errorf("claimed %+v, %v", rec, err)
	}
	held := hold(t, store, "notify:2")
	if err := store.Complete(t.Context(), held.Token(), idem.Outcome{Status: idem.StatusDone}); !errors.As(err, &pgErr) {
		t.Errorf("completed: %v", err)
	}
}
