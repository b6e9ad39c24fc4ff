package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

func TestMaintenance(t *testing.T) {
	storetest.RunMaintenance(t, func(t testing.TB) storetest.MaintenanceHarness {
		h := harness(t)
		h.Exec(t, `CREATE TABLE refused (refused_key text);
			CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				IF EXISTS (SELECT FROM refused WHERE refused_key = OLD.key) THEN RAISE EXCEPTION 'refused by the test'; END IF;
				RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
			END $$;
			CREATE TRIGGER refuse BEFORE UPDATE OR DELETE ON job_runs FOR EACH ROW EXECUTE FUNCTION refuse()`)
		return storetest.MaintenanceHarness{Harness: h, Refuse: func(t testing.TB, key string) {
			h.Exec(t, fmt.Sprintf("INSERT INTO refused VALUES ('%s')", key))
		}}
	})
}

// A transaction that hangs keeps its own row from the sweep and the purge, and no
// other.
func TestMaintenanceBesideALock(t *testing.T) {
	db := open(t)
	store := pgstore.New(pgtest.Pool(db), pgstore.WithClock(pgtest.Clock), pgstore.WithLockTimeout(20*time.Millisecond))
	ends := map[string]func() (int, error){
		"sweep": func() (int, error) { return store.Sweep(t.Context(), 99) },
		"purge": func() (int, error) { return store.Purge(t.Context(), "notify", lease, 99) },
	}
	for n := range 9 {
		hold(t, store, idem.Key(fmt.Sprint("notify:", n)))
	}
	for _, what := range []string{"sweep", "purge"} {
		db.Advance(3 * lease)
		tx := begin(t, db)
		execute(t, tx, "SELECT FROM job_runs WHERE key = 'notify:4' FOR UPDATE")
		n, err := ends[what]()
		if n != 8 || err == nil || !strings.Contains(err.Error(), `1 runs`) || !strings.Contains(err.Error(), `"notify:4"`) {
			t.Errorf("%s beside a lock: %d, %v", what, n, err)
		}
		must(t, tx.Rollback(t.Context()))
		if n, err := ends[what](); n != 1 || err != nil {
			t.Errorf("%s after it: %d, %v", what, n, err)
		}
	}
}

// A purge that ends halfway leaves runs whole, or gone.
func TestPurgeKilledHalfway(t *testing.T) {
	db := open(t)
	store := clocked(t, db)
	for n := range 9 {
		done := hold(t, store, idem.Key(fmt.Sprint("notify:", n))).Token()
		must(t, store.Complete(t.Context(), done, idem.Outcome{Status: idem.StatusDone, Result: []byte("result")}))
		db.Advance(1)
	}
	db.Advance(2 * lease)
	if n, err := store.Purge(t.Context(), "notify", lease, 3); n != 3 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	tx := begin(t, db)
	execute(t, tx, "SELECT FROM job_runs WHERE key = 'notify:7' FOR UPDATE")
	ctx, kill := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { _, err := store.Purge(ctx, "notify", lease, 99); ended <- err }()
	untilBlocked(t, db) // with four runs deleted
	kill()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("killed: %v", err)
	}
	must(t, tx.Rollback(t.Context()))
	for n := range 9 {
		rec, err := store.Claim(t.Context(), request(idem.Key(fmt.Sprint("notify:", n))))
		must(t, err)
		if gone := n < 3; gone != (rec.Status == idem.StatusRunning) || !gone && string(rec.Result) != "result" {
			t.Errorf("run %d is %+v", n, rec)
		}
	}
	if n, err := store.Purge(t.Context(), "notify", lease, 99); n != 6 || err != nil {
		t.Errorf("the next purge: %d, %v", n, err)
	}
}
