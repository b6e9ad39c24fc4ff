package runtime_test

import (
	"os"
	"regexp"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/internal/runstable"
)

var sqlBlock = regexp.MustCompile("(?s)```sql\n(.*?)```")

// Each statement of docs/operations.md finds the row that it speaks of, and the
// runs are then as the text says.
func TestOperations(t *testing.T) {
	text, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	migrations := []string{runstable.Migration(t, "postgres", "job_runs"), runstable.Order(t, "postgres", "job_runs")}
	db := pgtest.Open(pgtest.Config{Migrations: migrations, RealClock: true})(t)
	runsOfEachKind(t, db)
	statements := sqlBlock.FindAllStringSubmatch(string(text), -1)
	if len(statements) != 8 {
		t.Fatalf("found %d statements", len(statements))
	}
	for _, statement := range statements {
		tag, err := pgtest.Pool(db).Exec(t.Context(), statement[1])
		if err != nil || tag.RowsAffected() != 1 {
			t.Errorf("%s: %d rows, %v", statement[1], tag.RowsAffected(), err)
		}
	}
	store := db.Store()
	for key, want := range map[idem.Key]string{
		"notify:dead": "done", "notify:running": "done", "notify:done": "done", "notify:evt_1": "done",
		"notify:waiting": "the run failed: given up by hand",
	} {
		w := newWorker(store)
		_, err := w.deliver(t.Context(), key)
		if ok := err == nil; ok != (want == "done") {
			t.Errorf("%s: %v; want %s", key, err, want)
		}
		if again := len(w.seen) == 1; again != (err == nil && key != "notify:evt_1") {
			t.Errorf("%s: the handler ran %d times", key, len(w.seen))
		}
	}
	if _, err := begun(t, store, "deposit:newer", 8, 2).Complete(struct{}{}, nil); err != nil {
		t.Errorf("a version of the entity whose worker is gone: %v", err)
	}
	if n := db.Count(t, "SELECT count(*) FROM job_runs WHERE key = 'notify:dead' AND attempts - holds = 1 AND status = 'done'"); n != 1 {
		t.Error("who was revived has not all attempts before it")
	}
}

// runsOfEachKind makes the runs that the text names.
func runsOfEachKind(t *testing.T, db idemtest.DB) {
	t.Helper()
	store := db.Store()
	for _, key := range []idem.Key{"notify:evt_1", "notify:done"} {
		if _, err := newWorker(store).deliver(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	failing := newWorker(store)
	failing.err = errDown
	for range failing.spec.Attempts {
		_, _ = failing.deliver(t.Context(), "notify:dead")
	}
	_, _ = failing.deliver(t.Context(), "notify:waiting")
	if _, err := store.Claim(t.Context(), idem.ClaimRequest{
		Key: "notify:running", Handler: "notify", Owner: idem.NewOwner(), Lease: time.Hour, Attempts: 3,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := begun(t, store, "deposit:1", 7, 4).Complete(struct{}{}, nil); err != nil {
		t.Fatal(err)
	}
	begun(t, store, "deposit:running", 8, 1) // by a worker that is gone
}

// begun is a run of a version of an account.
func begun(t *testing.T, store idem.Store, key idem.Key, account, version int64) *idem.Run[struct{}] {
	t.Helper()
	spec := idem.Spec{Handler: "deposit", Lease: time.Hour, Attempts: 3, Ordered: true}
	order := idem.NewOrder(idem.At("event.Version", version), idem.Literal("account:"), idem.Int("event.AccountID", account))
	run, err := idem.Claim[struct{}](t.Context(), store, spec, key, idem.WithOrder(order))
	if err != nil {
		t.Fatal(err)
	}
	return run
}
