package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
	"github.com/idemgen/idemgen/templates"
)

const lease = time.Minute

// files are ways to open a file that a program may choose, the worst among
// them: no wait for locks at all, and readers that block a commit.
var files = map[string]string{
	"plain":    "",
	"wal":      "?_pragma=journal_mode(WAL)",
	"waiting":  "?_pragma=busy_timeout(5000)",
	"truncate": "?_pragma=journal_mode(TRUNCATE)&_pragma=busy_timeout(1)",
}

func TestFiftyClaimersOfAFile(t *testing.T) {
	for name, query := range files {
		t.Run(name, func(t *testing.T) {
			path := newFile(t, query)
			var wg sync.WaitGroup
			for i := range 50 {
				wg.Go(func() {
					// A pool each, as fifty processes have.
					store := sqlitestore.New(openFile(t, path, query))
					deliverTo(t, store, idem.Key(fmt.Sprintf("notify:%d", i%7)), fmt.Sprint(i))
				})
			}
			wg.Wait()
		})
	}
}

// deliverTo claims a key until it is done by this delivery or another.
func deliverTo(t *testing.T, store *sqlitestore.Store, key idem.Key, result string) {
	for {
		req := request(key)
		rec, err := store.Claim(t.Context(), req)
		switch {
		case err != nil:
			t.Errorf("claim %q: %v", key, err)
			return
		case rec.Status == idem.StatusDone:
			return
		case rec.HeldBy(req.Owner):
			if err := store.Complete(t.Context(), rec.Token(), idem.Outcome{Status: idem.StatusDone, Result: []byte(result)}); err != nil {
				t.Errorf("complete %q: %v", key, err)
			}
			return
		}
	}
}

// A claim waits for a lock as long as its context lets it, whoever holds it.
func TestLockedFile(t *testing.T) {
	path := newFile(t, "")
	tx, err := openFile(t, path, "").Begin()
	must(t, err)
	_, err = tx.Exec("DELETE FROM job_runs")
	must(t, err)
	store := sqlitestore.New(openFile(t, path, ""))

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := store.Claim(ctx, request("notify:1")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}

	claimed := make(chan error, 1)
	go func() {
		_, err := store.Claim(t.Context(), request("notify:1"))
		claimed <- err
	}()
	must(t, tx.Rollback())
	must(t, <-claimed)
}

// In rollback-journal mode a reader lets the writer write, and has it fail at
// the commit: after the row was returned.
func TestReaderBlocksTheCommit(t *testing.T) {
	path := newFile(t, "")
	reader := openFile(t, path, "")
	_, err := reader.Exec("INSERT INTO job_runs (key, handler, status, attempts, owner, due, created_at) VALUES ('a', 'a', 'running', 1, 'a', 0, 0), ('b', 'a', 'running', 1, 'a', 0, 0)")
	must(t, err)
	rows, err := reader.Query("SELECT key FROM job_runs") //nolint:rowserrcheck // it stays open, to be in the way
	must(t, err)
	defer rows.Close()
	if !rows.Next() {
		t.Fatal("nothing to read")
	}
	store := sqlitestore.New(openFile(t, path, ""))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	rec, err := store.Claim(ctx, request("notify:1"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %+v, %v", rec, err)
	}
	must(t, rows.Close())
	if rec, err := store.Lookup(t.Context(), "notify:1"); !errors.Is(err, idem.ErrNotFound) {
		t.Errorf("the row is there: %+v, %v", rec, err)
	}
}

// Nothing comes of asking a database again that the program has closed.
func TestClosed(t *testing.T) {
	db := openFile(t, newFile(t, ""), "")
	must(t, db.Close())
	// Under synctest no time passes unless somebody sleeps.
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := sqlitestore.New(db).Claim(t.Context(), request("notify:1"))
		if err == nil || time.Since(start) > 0 {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

func TestMissingTable(t *testing.T) {
	store := sqlitestore.New(openFile(t, newFile(t, ""), ""), sqlitestore.WithTable("elsewhere"))
	_, claim := store.Claim(t.Context(), request("notify:1"))
	_, sweep := store.Sweep(t.Context(), 9)
	for _, err := range []error{claim, sweep} {
		if err == nil || !strings.Contains(err.Error(), "run the migrations") {
			t.Errorf("got %v", err)
		}
	}
}

// The database's own clock, with no test to hold it still.
func TestOwnClock(t *testing.T) {
	store := sqlitestore.New(openFile(t, newFile(t, ""), ""))
	before := time.Now().Add(-2 * time.Millisecond)
	req := request("notify:1")
	rec, err := store.Claim(t.Context(), req)
	must(t, err)
	again, err := store.Lookup(t.Context(), "notify:1")
	must(t, err)
	if !rec.HeldBy(req.Owner) || again.Remaining > lease || again.Remaining < lease-time.Since(before) {
		t.Errorf("claimed %+v, and then found %+v", rec, again)
	}
}

func TestStatementsOfADelivery(t *testing.T) {
	db := open(t)
	var sent []string
	logged := wired{db.SQL(), func(ctx context.Context, query string, run func(context.Context) error) error {
		sent = append(sent, strings.Fields(query)[0])
		return run(ctx)
	}}
	store := sqlitestore.New(sql.OpenDB(logged))
	again := idem.WithDelivery(t.Context(), idem.Delivery{Redelivered: true})
	steps := []struct {
		name  string
		ctx   context.Context
		key   idem.Key
		value string
		want  []string
	}{
		{"the store's first, which asks for the schema", t.Context(), "notify:0", "", []string{"VALUES", "INSERT", "UPDATE"}},
		{"first delivery", t.Context(), "notify:1", "", []string{"INSERT", "UPDATE"}},
		{"duplicate of a done run", t.Context(), "notify:1", "", []string{"INSERT", "SELECT"}},
		{"known to be redelivered", again, "notify:1", "", []string{"SELECT"}},
		{"redelivered, but new", again, "notify:2", "", []string{"SELECT", "INSERT", "UPDATE"}},
		{"first delivery with a value", t.Context(), "charge:1", "one", []string{"INSERT", "UPDATE"}},
		{"duplicate with the same value", t.Context(), "charge:1", "one", []string{"INSERT", "SELECT"}},
		{"redelivered with the same value", again, "charge:1", "one", []string{"SELECT"}},
		{"duplicate with another value", t.Context(), "charge:1", "another", []string{"INSERT", "SELECT"}},
		{"redelivered with another value", again, "charge:1", "another", []string{"SELECT"}},
	}
	for _, step := range steps {
		sent = nil
		if err := deliver(step.ctx, store, step.key, step.value); errors.Is(err, idem.ErrKeyReuse) != (step.value == "another") {
			t.Errorf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff(step.want, sent); diff != "" {
			t.Errorf("%s (-want +sent):\n%s", step.name, diff)
		}
	}
}

// No statement may scan the table.
func TestStatementsUseIndexes(t *testing.T) {
	db := open(t)
	plans := map[string]string{}
	explained := wired{db.SQL(), nil}
	explained.do = func(ctx context.Context, query string, run func(context.Context) error) error {
		plans[query] = explain(t, db.SQL(), query)
		return run(ctx)
	}
	store := sqlitestore.New(sql.OpenDB(explained))
	held, err := store.Claim(t.Context(), request("notify:1"))
	must(t, err)
	must(t, store.Extend(t.Context(), held.Token(), 0))
	taken := request("notify:1")
	taken.Lease = 0
	_, err = store.Claim(t.Context(), taken)
	must(t, err)
	buried := request("notify:1")
	buried.Attempts = 1
	_, err = store.Claim(t.Context(), buried)
	must(t, err)
	_ = store.Complete(t.Context(), held.Token(), idem.Outcome{Status: idem.StatusDone})
	_ = store.Release(t.Context(), held.Token(), idem.Release{})
	expired := request("notify:expired")
	expired.Lease = 0
	_, err = store.Claim(t.Context(), expired)
	must(t, err)
	everyUpkeep(t, db, store)
	if len(plans) != 20 {
		t.Errorf("%d statements, want all 20", len(plans))
	}
	for query, plan := range plans {
		if strings.Contains(query, "handler = ?1") && !strings.Contains(plan, "job_runs_created (handler=? AND created_at<?)") ||
			strings.Contains(query, "created_at < CAST") && strings.Contains(query, "?5") && !strings.Contains(plan, "job_runs_created (handler=? AND created_at>? AND created_at<?)") {
			t.Errorf("%s\n%s", query, plan)
		}
		// It sorts what it found, but finds no more than it may.
		if strings.Contains(plan, "INDEX job_runs_left (status=? AND handler=? AND created_at>?)") && strings.Contains(plan, "INDEX job_runs_running (created_at>?)") {
			continue
		}
		if strings.Contains(plan, "SCAN job_runs") && !strings.Contains(plan, "SCAN job_runs USING INDEX job_runs_running") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\n%s", query, plan)
		}
	}
}

// everyUpkeep makes each statement that no delivery makes. There is a run to
// sweep, and then a run to purge.
func everyUpkeep(t *testing.T, db idemtest.DB, store *sqlitestore.Store) {
	t.Helper()
	if n, err := store.Sweep(t.Context(), 9); err != nil || n == 0 {
		t.Errorf("swept %d, %v", n, err)
	}
	_, err := store.Undelivered(t.Context(), "notify", idem.Undelivered{}, 9)
	must(t, err)
	db.Exec(t, "UPDATE job_runs SET due = due - 3600000, created_at = created_at - 3600000")
	if n, err := store.Purge(t.Context(), "notify", time.Minute, 9); err != nil || n == 0 {
		t.Errorf("purged %d, %v", n, err)
	}
	_, err = store.BeginTask(t.Context(), idem.SweepTask, time.Hour)
	must(t, err)
	must(t, store.EndTask(t.Context(), idem.SweepTask, 1, ""))
	_, err = store.Health(t.Context(), []idem.Spec{{Handler: "notify", Retain: time.Hour}})
	must(t, err)
}

func explain(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.Query("EXPLAIN QUERY PLAN "+query, make([]any, strings.Count(query, "?"))...)
	must(t, err)
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		must(t, rows.Scan(&id, &parent, &unused, &detail))
		plan.WriteString(detail + "\n")
	}
	must(t, rows.Err())
	return plan.String()
}

// newFile makes a database file with the table of runs.
func newFile(t *testing.T, query string) string {
	t.Helper()
	up, _, err := templates.JobRuns("sqlite", "job_runs")
	must(t, err)
	path := filepath.Join(t.TempDir(), "jobs.db")
	_, err = openFile(t, path, query).Exec(up)
	must(t, err)
	return path
}

func openFile(t *testing.T, path, query string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+query)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func request(key idem.Key) idem.ClaimRequest {
	return idem.ClaimRequest{Key: key, Handler: "notify", Owner: idem.NewOwner(), Lease: lease, Attempts: 3}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
