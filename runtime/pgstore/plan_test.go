package pgstore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// A connection prepares its statements when the table is as good as empty,
// and the table then grows: no statement may scan it. Postgres keeps the plan
// of a prepared statement from its sixth execution on.
func TestStatementsKeepTheirIndexes(t *testing.T) {
	inYoungTables(t, "job_runs", fill, everyStatement, func(t *testing.T, _ idemtest.DB, conn *pgx.Conn) { wantNoScan(t, conn) })
}

// inYoungTables has a connection prepare all statements while a table is as good as
// empty, whatever is known of it, and checks them when it has grown.
func inYoungTables(t *testing.T, table, fill string, every func(*testing.T, *pgstore.Store), check func(*testing.T, idemtest.DB, *pgx.Conn)) {
	t.Helper()
	for name, prepare := range map[string][]string{
		"never analysed":         nil,
		"analysed while empty":   {`ANALYZE ` + table},
		"emptied, then analysed": {fill, `DELETE FROM ` + table, `VACUUM ANALYZE ` + table},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			conn := connectOne(t, db)
			// Or it would repair what the test is about.
			db.Exec(t, `ALTER TABLE `+table+` SET (autovacuum_enabled = off)`)
			for _, sql := range prepare {
				db.Exec(t, sql)
			}
			for range 7 {
				every(t, pgstore.New(conn))
				db.Exec(t, `DELETE FROM `+table)
			}
			db.Exec(t, fill)
			check(t, db, conn)
		})
	}
}

// A plan that is kept of a table that is just large enough for it takes the index,
// whatever the statistics say and however large the rows are.
func TestKeptPlans(t *testing.T) {
	find, findAll, pages, pagesForMany := pgstore.Kept()
	for name, prepare := range map[string]string{
		"never analysed":       `SELECT`,
		"analysed while empty": `ANALYZE job_runs`,
		"emptied":              fill + `DELETE FROM job_runs; VACUUM ANALYZE job_runs`,
	} {
		for _, size := range []int{1, 200, 900, 1900} {
			t.Run(fmt.Sprintf("%s, %d bytes", name, size), func(t *testing.T) {
				db := open(t)
				db.Exec(t, `ALTER TABLE job_runs SET (autovacuum_enabled = off)`)
				for _, sql := range strings.Split(prepare, ";") {
					db.Exec(t, sql)
				}
				conn := connectOne(t, db)
				fillPages(t, conn, size, pages)
				wantKeptPlans(t, conn, find)
				fillPages(t, conn, size, pagesForMany)
				wantKeptPlans(t, conn, findAll)
			})
		}
	}
}

// fillPages adds finished runs with results of so many bytes until the table has so many pages.
func fillPages(t *testing.T, conn *pgx.Conn, size int, pages uint32) {
	t.Helper()
	_, err := conn.Exec(t.Context(), fmt.Sprintf(`DO $$ BEGIN
		WHILE pg_relation_size('job_runs') < %d * 8192 LOOP
			INSERT INTO job_runs (key, handler, status, attempts, owner, result, created_at, claimed_at, completed_at)
			SELECT 'notify:' || gen_random_uuid(), 'notify', 'done', 1, gen_random_uuid(),
				(SELECT string_agg(uuid_send(gen_random_uuid()), '') FROM generate_series(0, %d / 16)), now(), now(), now();
		END LOOP; END $$`, pages, size))
	must(t, err)
}

func wantKeptPlans(t *testing.T, conn *pgx.Conn, statements []string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), `SET plan_cache_mode = force_generic_plan`)
	must(t, err)
	for _, sql := range statements {
		nulls := strings.TrimSuffix(strings.Repeat("NULL, ", strings.Count(sql, "$6")*5+1), ", ")
		_, err := conn.Exec(t.Context(), "DEALLOCATE ALL; PREPARE kept AS "+sql)
		must(t, err)
		rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE kept ("+nulls+")", pgx.QueryExecModeSimpleProtocol)
		must(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		if plan := strings.Join(lines, "\n"); !strings.Contains(plan, "job_runs_pkey") || strings.Contains(plan, "Seq Scan") {
			t.Errorf("%s\nhas the plan\n%s", sql, plan)
		}
	}
}

// The sweeper and the purge find their rows by an index in a table that is
// large, also when there is nothing for them.
func TestUpkeepUsesIndexes(t *testing.T) {
	db := open(t)
	db.Exec(t, fill)
	db.Exec(t, `ANALYZE job_runs`)
	wantNoScan(t, connectOne(t, db))
}

// fill makes 20,000 runs, a few of them running, over 40 days.
const fill = `INSERT INTO job_runs (key, handler, status, attempts, owner, due, result, created_at, claimed_at, completed_at)
	SELECT 'old:' || i, CASE WHEN i % 3 = 0 THEN 'charge' ELSE 'notify' END,
		CASE WHEN i > 19900 THEN 'running' ELSE 'done' END, 1, gen_random_uuid(),
		CASE WHEN i > 19900 THEN at + interval '1 hour' END, '{"id": "12345678"}', at, at,
		CASE WHEN i <= 19900 THEN at + interval '1 second' END
	FROM (SELECT i, clock_timestamp() - (20000 - i) * interval '3 minutes' AS at FROM generate_series(1, 20000) AS i) AS runs;`

// everyStatement makes each statement of the store at least once.
func everyStatement(t *testing.T, store *pgstore.Store) {
	t.Helper()
	ctx := t.Context()
	done := hold(t, store, "notify:done")
	must(t, store.Extend(ctx, done.Token(), lease))
	must(t, store.Release(ctx, done.Token(), idem.Release{Attempts: 3}))
	done = hold(t, store, "notify:done")
	must(t, store.Complete(ctx, done.Token(), idem.Outcome{Status: idem.StatusDone}))
	hold(t, store, "notify:dead")
	for _, attempts := range []int{3, 1} {
		req := request("notify:dead")
		req.Lease, req.Attempts = 0, attempts
		if _, err := store.Claim(ctx, req); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Lookup(ctx, "notify:none"); err == nil {
		t.Error("found what is not there")
	}
	expired := request("notify:expired")
	expired.Lease = 0
	_, err := store.Claim(ctx, expired)
	must(t, err)
	if n, err := store.Sweep(ctx, 100); err != nil || n == 0 {
		t.Errorf("swept %d, %v", n, err)
	}
	for _, retain := range []time.Duration{1000 * time.Hour, 900 * time.Hour, time.Microsecond} {
		n, err := store.Purge(ctx, "notify", retain, 100)
		must(t, err)
		if n == 0 && retain == time.Microsecond {
			t.Error("nothing to delete")
		}
	}
	_, err = store.Undelivered(ctx, "notify", idem.Undelivered{}, 100)
	must(t, err)
	for range 2 {
		_, err = store.BeginTask(ctx, idem.SweepTask, time.Hour)
		must(t, err)
	}
	must(t, store.EndTask(ctx, idem.SweepTask, 1, ""))
	_, err = store.Health(ctx, []idem.Spec{{Handler: "notify", Retain: 1000 * time.Hour}})
	must(t, err)
}

// wantNoScan makes every statement once more, and checks that none of them
// read the table, or nearly all of an index.
func wantNoScan(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	must(t, err)
	before := accesses(t, tx)
	everyStatement(t, pgstore.New(tx))
	after := accesses(t, tx)
	scans, searches, rows := after[0]-before[0], after[1]-before[1], after[2]-before[2]
	if scans > 0 || searches == 0 || rows > 5000 {
		t.Errorf("%d scans of the table, and %d searches by an index, which read %d rows", scans, searches, rows)
	}
	must(t, tx.Rollback(t.Context()))
}

// accesses counts how often this session read the whole table and how often
// it searched by an index, and the rows that it read in that way.
func accesses(t testing.TB, tx pgx.Tx) [3]int { return accessesOf(t, tx, "job_runs") }

func accessesOf(t testing.TB, tx pgx.Tx, table string) (n [3]int) {
	t.Helper()
	must(t, tx.QueryRow(context.Background(), `SELECT seq_scan, idx_scan, idx_tup_fetch
		FROM pg_stat_xact_user_tables WHERE relname = $1`, table).Scan(&n[0], &n[1], &n[2]))
	return n
}

func connectOne(t *testing.T, db idemtest.DB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.URL(db))
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}
