package pgstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// blockage is a transaction of somebody else that a claim has to wait for.
type blockage struct {
	name string
	lock func(t *testing.T, db idemtest.DB, tx pgx.Tx)
	// attempt is the one that a claim gets when the transaction rolls back.
	attempt int
}

var blockages = []blockage{
	{"new key", func(t *testing.T, _ idemtest.DB, tx pgx.Tx) {
		execute(t, tx, `INSERT INTO job_runs (key, handler, status, attempts, owner, due, created_at)
			VALUES ('notify:1', 'notify', 'running', 1, gen_random_uuid(), now(), now())`)
	}, 1},
	{"run to take over", func(t *testing.T, db idemtest.DB, tx pgx.Tx) {
		hold(t, db.Store(), "notify:1")
		db.Advance(2 * lease)
		execute(t, tx, `UPDATE job_runs SET error = 'seen' WHERE key = 'notify:1'`)
	}, 2},
}

const lease = time.Minute

func TestClaimWaitsForARollback(t *testing.T) {
	for _, b := range blockages {
		t.Run(b.name, func(t *testing.T) {
			db := open(t)
			tx := b.begin(t, db)
			wait := claimInBackground(t.Context(), clocked(t, db), request("notify:1"))
			untilBlocked(t, db)
			must(t, tx.Rollback(t.Context()))
			rec, err := wait()
			if err != nil || rec.Status != idem.StatusRunning || rec.Attempt != b.attempt {
				t.Errorf("got %+v, %v", rec, err)
			}
		})
	}
}

// The lease of a claim that waited is computed before the wait: it must not
// be born expired, nor shorter than the handler was promised.
func TestClaimThatWaitedIsLeasedAnew(t *testing.T) {
	for _, b := range blockages {
		for _, passed := range []time.Duration{lease / 2, 3 * lease} {
			t.Run(b.name+" for "+passed.String(), func(t *testing.T) {
				db := open(t)
				tx := b.begin(t, db)
				store := clocked(t, db)
				wait := claimInBackground(t.Context(), store, request("notify:1"))
				untilBlocked(t, db)
				db.Advance(passed)
				unblocked := time.Now()
				must(t, tx.Rollback(t.Context()))
				rec, err := wait()
				must(t, err)
				if rec.Remaining != lease || rec.Asked.Before(unblocked) {
					t.Errorf("remaining %v since %v before the wait ended, want %v since after", rec.Remaining, unblocked.Sub(rec.Asked), lease)
				}
				if stored, err := store.Lookup(t.Context(), "notify:1"); err != nil || stored.Remaining != lease {
					t.Errorf("the row has %v, %v, want %v", stored.Remaining, err, lease)
				}
			})
		}
	}
}

func TestClaimWaitsForACommit(t *testing.T) {
	db := open(t)
	tx := blockages[0].begin(t, db)
	execute(t, tx, `UPDATE job_runs SET status = 'done', result = 'theirs', completed_at = now()`)
	wait := claimInBackground(t.Context(), db.Store(), request("notify:1"))
	untilBlocked(t, db)
	must(t, tx.Commit(t.Context()))
	if rec, err := wait(); err != nil || string(rec.Result) != "theirs" {
		t.Errorf("got %+v, %v", rec, err)
	}
}

func TestClaimCancelledWhileItWaitsLeavesNoGhost(t *testing.T) {
	for _, b := range blockages {
		t.Run(b.name, func(t *testing.T) {
			db := open(t)
			tx := b.begin(t, db)
			ctx, cancel := context.WithCancel(t.Context())
			wait := claimInBackground(ctx, db.Store(), request("notify:1"))
			untilBlocked(t, db)
			cancel()
			must(t, tx.Rollback(t.Context()))
			if rec, err := wait(); !errors.Is(err, context.Canceled) {
				t.Errorf("got %+v, %v, want context.Canceled", rec, err)
			}
			hold(t, db.Store(), "notify:1")
		})
	}
}

// A sweep that waits for the lock of a row finds it completed.
func TestSweepWaitsForACompletion(t *testing.T) {
	db := open(t)
	held := hold(t, db.Store(), "notify:1")
	db.Advance(2 * lease)
	tx := begin(t, db)
	must(t, pgstore.New(tx, pgstore.WithClock(pgtest.Clock)).
		Complete(t.Context(), held.Token(), idem.Outcome{Status: idem.StatusDone, Result: []byte("result")}))
	swept := make(chan error, 1)
	go func() {
		n, err := db.Store().Sweep(t.Context(), 9)
		if n != 0 {
			err = errors.New("a completed run was swept")
		}
		swept <- err
	}()
	untilBlocked(t, db)
	must(t, tx.Commit(t.Context()))
	must(t, <-swept)
	if rec, err := db.Store().Lookup(t.Context(), "notify:1"); err != nil || rec.Status != idem.StatusDone {
		t.Errorf("got %+v, %v", rec, err)
	}
}

// A purge that waits for the lock of a row finds it claimed.
func TestPurgeWaitsForAClaim(t *testing.T) {
	db := open(t)
	held := hold(t, db.Store(), "notify:1")
	must(t, db.Store().Release(t.Context(), held.Token(), idem.Release{Attempts: 3}))
	db.Advance(time.Hour)
	tx := begin(t, db)
	hold(t, pgstore.New(tx, pgstore.WithClock(pgtest.Clock)), "notify:1")
	purged := make(chan error, 1)
	go func() {
		n, err := db.Store().Purge(t.Context(), "notify", lease, 9)
		if n != 0 {
			err = errors.New("a running run was purged")
		}
		purged <- err
	}()
	untilBlocked(t, db)
	must(t, tx.Commit(t.Context()))
	must(t, <-purged)
	if rec, err := db.Store().Lookup(t.Context(), "notify:1"); err != nil || rec.Status != idem.StatusRunning {
		t.Errorf("got %+v, %v", rec, err)
	}
}

func (b blockage) begin(t *testing.T, db idemtest.DB) pgx.Tx {
	t.Helper()
	tx := begin(t, db)
	b.lock(t, db, tx)
	return tx
}

func begin(t *testing.T, db idemtest.DB) pgx.Tx {
	t.Helper()
	tx, err := pgtest.Pool(db).Begin(t.Context())
	must(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

// clocked is a store whose clock moves within a statement, as a database's
// does: a subquery would stand still with the statement's snapshot.
func clocked(t *testing.T, db idemtest.DB) *pgstore.Store {
	t.Helper()
	db.Exec(t, `CREATE FUNCTION test_now() RETURNS timestamptz VOLATILE LANGUAGE plpgsql AS
		$$ BEGIN RETURN (SELECT at FROM idem_clock); END $$`)
	return pgstore.New(pgtest.Pool(db), pgstore.WithClock("test_now()"), pgstore.WithLockTimeout(time.Hour))
}

func claimInBackground(ctx context.Context, store idem.Store, req idem.ClaimRequest) (wait func() (idem.Record, error)) {
	var rec idem.Record
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		rec, err = store.Claim(ctx, req)
	}()
	return func() (idem.Record, error) { <-done; return rec, err }
}

// untilBlocked returns when a session waits for another one's lock.
func untilBlocked(t *testing.T, db idemtest.DB) {
	t.Helper()
	for db.Count(t, `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 0 {
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
	}
}

func request(key idem.Key) idem.ClaimRequest {
	return idem.ClaimRequest{Key: key, Handler: "notify", Owner: idem.NewOwner(), Lease: lease, Attempts: 3}
}

func hold(t testing.TB, store idem.Store, key idem.Key) idem.Record {
	t.Helper()
	req := request(key)
	rec, err := store.Claim(context.Background(), req)
	if err != nil || !rec.HeldBy(req.Owner) {
		t.Fatalf("claim %q: got %+v, %v", key, rec, err)
	}
	return rec
}

func execute(t testing.TB, tx pgx.Tx, sql string) {
	t.Helper()
	_, err := tx.Exec(context.Background(), sql)
	must(t, err)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
