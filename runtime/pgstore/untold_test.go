package pgstore_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// insertLog keeps whether the inserts that were sent tell of their row.
type insertLog struct {
	mu   sync.Mutex
	told []bool
}

func (l *insertLog) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.HasPrefix(data.SQL, "INSERT") {
		l.told = append(l.told, strings.Contains(data.SQL, "RETURNING"))
	}
	return ctx
}

func (l *insertLog) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// inALargeTable returns a store that has seen that its table is large.
func inALargeTable(t *testing.T) (idemtest.DB, *pgstore.Store, *insertLog) {
	t.Helper()
	db := open(t)
	db.Exec(t, fill)
	log := new(insertLog)
	store := storeWith(t, db, func(c *pgxpool.Config) { c.ConnConfig.Tracer = log })
	hold(t, store, "notify:first")
	if log.told = nil; t.Failed() {
		t.FailNow()
	}
	return db, store, log
}

// A claim in a large table is what one in a small table is, though nobody is told of
// its row.
func TestClaimsThatAreNotTold(t *testing.T) {
	db, store, log := inALargeTable(t)
	held := hold(t, store, "notify:1")
	if len(log.told) != 1 || log.told[0] {
		t.Fatalf("the inserts sent tell of their row: %v; want one that does not", log.told)
	}
	if held.Attempt != 1 || held.Remaining != lease || time.Since(held.Asked) > lease/20 {
		t.Errorf("got %+v", held)
	}
	other, err := store.Claim(t.Context(), request("notify:1"))
	if err != nil || other.Owner != held.Owner || other.Status != idem.StatusRunning {
		t.Errorf("another got %+v, %v", other, err)
	}
	must(t, store.Complete(t.Context(), held.Token(), idem.Outcome{Status: idem.StatusDone, Result: []byte("sent")}))
	if again, err := store.Claim(t.Context(), request("notify:1")); err != nil || string(again.Result) != "sent" {
		t.Errorf("a duplicate got %+v, %v", again, err)
	}
	if n := db.Count(t, `SELECT count(*) FROM job_runs WHERE key = 'notify:1'`); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// The first statement of a transaction, with which it begins, is told of its row.
func TestClaimInATransactionIsTold(t *testing.T) {
	_, store, log := inALargeTable(t)
	rec, tx, err := store.ClaimTx(t.Context(), request("notify:1"))
	if err != nil || tx == nil {
		t.Fatalf("got %+v, %v", rec, err)
	}
	must(t, tx.Complete(t.Context(), rec.Token(), idem.Outcome{Status: idem.StatusDone}))
	if done, err := store.Lookup(t.Context(), "notify:1"); err != nil || done.Status != idem.StatusDone {
		t.Errorf("got %+v, %v", done, err)
	}
	if len(log.told) != 0 { // it goes with others, in a batch
		t.Errorf("sent %v", log.told)
	}
}

// A lease of which some has passed, as long as the claim waited, begins anew, also if
// the database did not tell.
func TestClaimThatWaitedUntold(t *testing.T) {
	db, store, log := inALargeTable(t)
	tx := blockages[0].begin(t, db)
	req := request("notify:1")
	req.Lease = time.Second
	wait := claimInBackground(t.Context(), store, req)
	untilBlocked(t, db)
	time.Sleep(req.Lease / 10) // which is long enough to count
	unblocked := time.Now()
	must(t, tx.Rollback(t.Context()))
	rec, err := wait()
	if err != nil || !rec.HeldBy(req.Owner) || rec.Remaining != req.Lease || rec.Asked.Before(unblocked) {
		t.Errorf("got %+v, %v, asked %v after the wait", rec, err, rec.Asked.Sub(unblocked))
	}
	if len(log.told) != 1 || log.told[0] {
		t.Errorf("the inserts sent tell of their row: %v", log.told)
	}
}
