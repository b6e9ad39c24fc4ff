package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// A commit whose answer is lost is found out about before anybody is told, also
// that of what is recorded after a rollback.
func TestTxLostCommit(t *testing.T) {
	for _, when := range []cutting{beforeSent, afterCommitted} {
		t.Run(when.String(), func(t *testing.T) {
			db := open(t)
			db.Exec(t, "CREATE TABLE work (what text)")
			store, _, w := watching(t, db)
			ran := 0
			insert := func(then error) func(context.Context, pgx.Tx) (int, error) {
				return func(ctx context.Context, tx pgx.Tx) (int, error) {
					ran++
					_, err := tx.Exec(ctx, "INSERT INTO work VALUES ('done')")
					w.mu.Lock()
					defer w.mu.Unlock()
					w.next = when
					return ran, errors.Join(err, then)
				}
			}
			no := errors.New("no")
			_, err := notifyOnce(t.Context(), store, "notify:1", insert(no))
			rec, found := store.Lookup(t.Context(), "notify:1")
			if !errors.Is(err, no) || w.next != uncut || (when == afterCommitted) != (found == nil && rec.Attempt == 2) {
				t.Errorf("recording an error: %v; the row is %+v, %v", err, rec, found)
			}
			result, err := notifyOnce(t.Context(), store, "notify:2", insert(nil))
			rec, found = store.Lookup(t.Context(), "notify:2")
			works := db.Count(t, "SELECT count(*) FROM work")
			if when == afterCommitted {
				if err != nil || result != 2 || works != 1 || rec.Status != idem.StatusDone {
					t.Errorf("committed: got %d, %v and %d rows of the work; the row is %+v", result, err, works, rec)
				}
				return
			}
			if err == nil || works != 0 || found != nil || rec.Status != idem.StatusWaiting || rec.Attempt != 2 {
				t.Errorf("not committed: got %d, %v and %d rows of the work; the row is %+v", result, err, works, rec)
			}
			if result, err = notifyOnce(t.Context(), store, "notify:2", nothing); err != nil || result != 1 {
				t.Errorf("delivered again: got %d, %v", result, err)
			}
		})
	}
}

// While a lost commit's transaction is open still, which the server may yet make,
// nobody is told anything.
func TestTxLostCommitThatIsOnItsWay(t *testing.T) {
	for _, arrives := range []bool{true, false} {
		t.Run(fmt.Sprint("arrives: ", arrives), func(t *testing.T) {
			db := open(t)
			store, pool, w := watching(t, db, pgstore.WithLockTimeout(time.Hour))
			rec, tx, err := store.ClaimTx(t.Context(), request("notify:1"))
			must(t, err)
			w.mu.Lock()
			w.next = onItsWay
			w.mu.Unlock()
			answer := make(chan error, 1)
			go func() { answer <- tx.Complete(t.Context(), rec.Token(), idem.Outcome{Status: idem.StatusDone}) }()
			untilBlocked(t, db) // who finds out, by the one that is to be committed
			if arrives {
				_, err = w.server.Write(w.late)
				must(t, err)
			}
			must(t, w.server.Close())
			if err := <-answer; (err == nil) != arrives {
				t.Errorf("told %v", err)
			}
			row, err := store.Lookup(t.Context(), "notify:1")
			if arrives != (err == nil && row.Token() == rec.Token() && row.Status == idem.StatusDone) {
				t.Errorf("the row is %+v, %v", row, err)
			}
			if n := pool.Stat().AcquiredConns(); n > 0 {
				t.Error("a connection is still held")
			}
		})
	}
}

// The server ends a session that is idle for a lease in its transaction: a
// worker that was cut off does not hold the key for longer.
func TestTxIdleForALease(t *testing.T) {
	db := open(t)
	store, _, _ := watching(t, db)
	spec := notify
	spec.Lease = 50 * time.Millisecond
	run, err := idem.ClaimTx[pgx.Tx, int](t.Context(), store, spec, "notify:1")
	must(t, err)
	_, err = run.Commit(func(context.Context, pgx.Tx) (int, error) {
		// Of the session's end the client learns by its next statement.
		for db.Count(t, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'") > 0 {
			if t.Context().Err() != nil {
				return 0, t.Context().Err()
			}
		}
		return 1, nil
	})
	if err == nil {
		t.Error("told that it is done")
	}
	if rec, err := store.Lookup(t.Context(), "notify:1"); err != nil || rec.Status != idem.StatusWaiting || rec.Attempt != 2 {
		t.Errorf("the row is %+v, %v", rec, err)
	}
}

// Invariant 9: a claim whose answer is lost holds nothing, since it was never
// committed, and is made again.
func TestTxLostClaim(t *testing.T) {
	db := open(t)
	var next atomic.Int32
	store := storeWith(t, db, func(c *pgxpool.Config) {
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			return &cuttable{Conn: conn, next: &next}, err
		}
	})
	for _, when := range []cutting{beforeSent, afterCommitted} {
		key, ran := idem.Key("notify:"+when.String()), 0
		next.Store(int32(when))
		result, err := notifyOnce(t.Context(), store, key, func(context.Context, pgx.Tx) (int, error) { ran++; return ran, nil })
		if err != nil || result != 1 || next.Load() != int32(uncut) {
			t.Errorf("%s: got %d, %v", when, result, err)
		}
		if rec, err := store.Lookup(t.Context(), key); err != nil || rec.Status != idem.StatusDone || rec.Attempt != 1 {
			t.Errorf("%s: the row is %+v, %v", when, rec, err)
		}
	}
}
