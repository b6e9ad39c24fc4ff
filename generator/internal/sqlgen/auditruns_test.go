package sqlgen

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// run is a row of the table of runs; its times are ages.
type run struct {
	key, status             string
	attempts, holds         int
	due, created, completed time.Duration
}

const never = time.Duration(-1 << 62)

func insertRun(t *testing.T, db idemtest.DB, handler string, r run) {
	t.Helper()
	at := func(age time.Duration) string {
		if age == never {
			return "NULL"
		}
		return ago(db, age)
	}
	db.Exec(t, fmt.Sprintf(`INSERT INTO job_runs (key, handler, status, attempts, holds, owner, due, created_at, completed_at)
		VALUES ('%s', '%s', '%s', %d, %d, '11111111-1111-4111-8111-111111111111', %s, %s, %s)`,
		r.key, handler, r.status, r.attempts, r.holds, at(r.due), at(r.created), at(r.completed)))
}

func TestAuditOfRuns(t *testing.T) {
	const day = 24 * time.Hour
	short, forever := handler("short", nil), handler("forever", nil)
	short.Retain, forever.Retain = 10*day, 0
	runs := map[string][]run{
		"short": {
			{"r1", "running", 1, 0, -time.Minute, time.Minute, never},
			{"r2", "running", 2, 0, time.Minute, 2 * time.Minute, never},
			{"r3", "running", 1, 0, 40 * day, 50 * day, never},
			{"w1", "waiting", 2, 0, 2 * time.Minute, time.Hour, never},
			{"w2", "waiting", 4, 1, 2 * time.Hour, 3 * time.Hour, never},
			{"w3", "waiting", 4, 2, -time.Hour, 3 * time.Hour, never},
			{"w5", "waiting", 5, 1, -time.Hour, 3 * time.Hour, never},
			{"w4", "waiting", 2, 0, 11 * day, 12 * day, never},
			{"d1", "done", 1, 0, never, 9 * day, 9 * day},
			{"d2", "done", 5, 0, never, 11 * day, 11 * day},
			{"d3", "done", 1, 0, never, 11 * day, 9 * day},
			{"x1", "dead", 3, 0, never, time.Hour, time.Minute},
			{"x2", "dead", 4, 0, never, time.Hour, 2 * time.Minute},
			{"f1", "failed", 1, 0, never, 11 * day, 11 * day},
		},
		"forever": {{"d1f", "done", 1, 0, never, 999 * day, 999 * day}},
	}
	want := []string{
		"state forever 1 done", "state short 2 dead", "state short 3 done", "state short 1 failed", "state short 3 running", "state short 5 waiting",
		"stuck short r3", "stuck short r2",
		"not delivered again short w4", "not delivered again short w2",
		"often attempted short d2 done", "often attempted short x2 dead", "often attempted short w5 waiting",
		"dead short x1", "dead short x2",
		"expired short 3",
	}
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			w := emitTo(t, project(d, short, forever))
			db := w.open(t, d, "job_runs")
			for handler, list := range runs {
				for _, r := range list {
					insertRun(t, db, handler, r)
				}
			}
			text := w.read(t, "audit/job_runs.sql")
			if diff := cmp.Diff(want, findings(t, db, text, "handler", "key", "run_count", "status")); diff != "" {
				t.Error(diff)
			}
			inShell(t, db, filepath.Join(w.dir, "audit", "job_runs.sql"), len(want))
		})
	}
}

// upkeepTasks are rows of the maintenance. Their times are ages.
var upkeepTasks = []struct {
	task         string
	period       time.Duration
	began, ended time.Duration // ages
	failed       bool
}{
	{"sweep", 30 * time.Second, 24 * time.Hour, 24 * time.Hour, false},
	{"purge:fine", time.Hour, 2*time.Hour - time.Minute, 2*time.Hour - time.Minute, false},
	{"purge:late", time.Hour, 2*time.Hour + time.Minute, 2*time.Hour + time.Minute, false},
	{"purge:killed", time.Hour, time.Minute, 3 * time.Hour, false},
	{"purge:killed at once", time.Hour, 3 * time.Hour, never, false},
	{"purge:failing", time.Hour, time.Minute, time.Minute, true},
	{"purge:removed", time.Hour, 9 * 24 * time.Hour, 9 * 24 * time.Hour, false}, // of a handler that is gone
}

// A sweeper that stopped a day ago, a purge that fails, and runs that it left.
func TestAuditOfUpkeep(t *testing.T) {
	const day = 24 * time.Hour
	var handlers []*spec.Handler
	for _, name := range []string{"fine", "late", "killed", "failing"} {
		h := handler(name, nil)
		h.Retain = 10 * day
		handlers = append(handlers, h)
	}
	want := []string{
		"upkeep stopped purge:failing", "upkeep stopped purge:killed", "upkeep stopped purge:late", "upkeep stopped sweep",
		"expired fine 1",
	}
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			w := emitTo(t, project(d, handlers...))
			db := w.open(t, d, "job_runs")
			for _, task := range upkeepTasks {
				period, ended, failure := fmt.Sprintf("interval '%d s'", int(task.period.Seconds())), "NULL", "NULL"
				if d == spec.SQLite {
					period = fmt.Sprint(task.period.Milliseconds())
				}
				if task.ended != never {
					ended = ago(db, task.ended)
				}
				if task.failed {
					failure = "'refused'"
				}
				db.Exec(t, fmt.Sprintf("INSERT INTO job_runs_maintenance (task, period, began_at, ended_at, error) VALUES ('%s', %s, %s, %s, %s)",
					task.task, period, ago(db, task.began), ended, failure))
			}
			insertRun(t, db, "fine", run{"due", "done", 1, 0, never, 10*day + time.Hour, 10*day + time.Hour})
			insertRun(t, db, "fine", run{"overdue", "done", 1, 0, never, 11 * day, 11 * day})
			got := findings(t, db, w.read(t, "audit/job_runs.sql"), "handler", "run_count", "task")
			got = slices.DeleteFunc(got, func(line string) bool { return strings.HasPrefix(line, "state ") })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Without a handler whose runs expire there is no list of them, which could
// not be empty in SQL.
func TestAuditOfRunsForever(t *testing.T) {
	for _, d := range dialects {
		h := handler("forever", nil)
		h.Retain = 0
		w := emitTo(t, project(d, h))
		if got := findings(t, w.open(t, d, "job_runs"), w.read(t, "audit/job_runs.sql")); got != nil {
			t.Errorf("%s: findings on an empty table: %v", d, got)
		}
	}
}

// What the comment says to do with a dead run is what the table takes.
func TestRevive(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			w := emitTo(t, project(d, notify()))
			db := w.open(t, d, "job_runs")
			insertRun(t, db, "notify", run{"x1", "dead", 21, 0, never, time.Hour, time.Minute})
			db.Exec(t, revival(t, w.read(t, "audit/job_runs.sql"), "x1"))
			if n := db.Count(t, "SELECT count(*) FROM job_runs WHERE status = 'waiting' AND attempts = 21 AND attempts - holds = 1 AND due IS NOT NULL AND completed_at IS NULL"); n != 1 {
				t.Error("the run was not revived")
			}
		})
	}
}

// revival reads the statement out of the comment.
func revival(t *testing.T, text, key string) string {
	t.Helper()
	m := regexp.MustCompile(`--        (UPDATE .*)\n--        (SET .*)\n--        (WHERE .*)`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no UPDATE in the comments")
	}
	return strings.ReplaceAll(strings.Join(m[1:], " "), "'...'", literal(key))
}
