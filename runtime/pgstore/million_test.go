package pgstore_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// runsEnv is how many runs BenchmarkManyRuns fills a table with, a million if it
// is not set.
const runsEnv = "IDEMGEN_BENCH_RUNS"

// many fills a table as if a program had run for 40 days, without its purge for
// the last ten of them: half of a thousandth are dead, waiting or held by workers
// that died.
const many = `INSERT INTO job_runs (key, handler, status, attempts, owner, due, result, created_at, claimed_at, completed_at)
	SELECT 'old:' || i, CASE WHEN i %% 3 = 0 THEN 'charge' ELSE 'notify' END, status, 1, gen_random_uuid(),
		CASE WHEN status IN ('running', 'waiting') THEN at + interval '1 minute' END, '{"id": "12345678"}', at, at,
		CASE WHEN status IN ('done', 'dead') THEN at + interval '1 second' END
	FROM (SELECT i, clock_timestamp() - (%[1]d - i) * (interval '40 days' / %[1]d) AS at,
		CASE i %% 2000 WHEN 0 THEN 'dead' WHEN 1 THEN 'waiting' WHEN 2 THEN 'running' ELSE 'done' END AS status
		FROM generate_series(1, %[1]d) AS i) AS runs`

// BenchmarkManyRuns holds the store to what it promises of a table with a million
// runs: no statement of the maintenance scans it, a purge keeps up with
// deliveries at full speed, and a claim's slowest hundredth takes at most 1.5
// times as long as in an empty table.
func BenchmarkManyRuns(b *testing.B) {
	runs := 1_000_000
	if text := os.Getenv(runsEnv); text != "" {
		var err error
		runs, err = strconv.Atoi(text)
		must(b, err)
	}
	empty, full := open(b), open(b)
	full.Exec(b, fmt.Sprintf(many, runs))
	full.Exec(b, "VACUUM ANALYZE job_runs")
	for range b.N {
		b.StopTimer() // nothing is told by a time per operation
		scans(b, full)
		claims(b, empty, full)
		backlog(b, full)
		keepsUp(b, full)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(runs), "runs")
}

func storeOf(b *testing.B, db idemtest.DB, conns int32) *pgstore.Store {
	return pgstore.New(connect(b, db, func(c *pgxpool.Config) { c.MaxConns = conns }))
}

var upkept = []idem.Spec{{Handler: "notify", Retain: 30 * 24 * time.Hour}, {Handler: "charge", Retain: 30 * 24 * time.Hour}}

// scans makes each statement of the maintenance on the full table, and rolls
// back.
func scans(b *testing.B, db idemtest.DB) {
	ctx := context.Background()
	tx, err := pgtest.Pool(db).Begin(ctx)
	must(b, err)
	before := accesses(b, tx)
	store := pgstore.New(tx)
	health, err := store.Health(ctx, upkept)
	must(b, err)
	if health.Err() == nil || health.Dead == 0 {
		b.Errorf("the table was not filled as it should be: %+v", health)
	}
	_, err = store.Sweep(ctx, 100)
	must(b, err)
	_, err = store.Purge(ctx, "notify", upkept[0].Retain, 100)
	must(b, err)
	_, err = store.Undelivered(ctx, "notify", idem.Undelivered{}, 100)
	must(b, err)
	after := accesses(b, tx)
	// Health counts up to 10,000 runs for each task.
	if scans, rows := after[0]-before[0], after[2]-before[2]; scans > 0 || rows > 50_000 {
		b.Errorf("%d scans of the table, and %d rows read by an index", scans, rows)
	}
	must(b, tx.Rollback(ctx))
}

// claims compares the slowest hundredth of claims, by turns.
func claims(b *testing.B, empty, full idemtest.DB) {
	const rounds, each = 40, 100
	stores := []*pgstore.Store{storeOf(b, empty, 1), storeOf(b, full, 1)}
	times := make([][]time.Duration, 2)
	for round := range rounds + 1 {
		for i, store := range stores {
			for n := range each {
				start := time.Now()
				hold(b, store, idem.Key(fmt.Sprintf("new:%d:%d", round, n)))
				if round > 0 { // the first one prepares statements
					times[i] = append(times[i], time.Since(start))
				}
			}
		}
	}
	p99 := func(list []time.Duration) time.Duration {
		slices.Sort(list)
		return list[len(list)*99/100]
	}
	ratio := float64(p99(times[1])) / float64(p99(times[0]))
	b.ReportMetric(ratio, "p99-claim-vs-empty")
	b.ReportMetric(float64(p99(times[1]).Microseconds()), "p99-claim-µs")
	if ratio > 1.5 {
		b.Errorf("p99 of a claim is %v, and %v in an empty table", p99(times[1]), p99(times[0]))
	}
}

// backlog has all that ten days left undone be done.
func backlog(b *testing.B, db idemtest.DB) {
	store, start, rows := storeOf(b, db, 2), time.Now(), 0
	for _, spec := range upkept {
		n, err := store.Purge(context.Background(), spec.Handler, spec.Retain, 1<<30)
		must(b, err)
		rows += n
	}
	b.ReportMetric(float64(rows)/time.Since(start).Seconds(), "backlog-purged/s")
	start = time.Now()
	n, err := store.Sweep(context.Background(), 1<<30)
	must(b, err)
	b.ReportMetric(float64(n)/time.Since(start).Seconds(), "swept/s")
}

// keepsUp delivers at full speed, and purges what is done at once.
func keepsUp(b *testing.B, db idemtest.DB) {
	const duration = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), duration)
	defer cancel()
	worker, purger := storeOf(b, db, 8), storeOf(b, db, 1)
	var delivered atomic.Int64
	var all sync.WaitGroup
	for g := range 64 {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if err := completeOne(worker, idem.Key(fmt.Sprintf("busy:%d:%d", g, n))); err != nil {
					b.Error(err)
					return
				}
				delivered.Add(1)
			}
		})
	}
	purged := 0
	for ctx.Err() == nil {
		n, err := purger.Purge(context.Background(), "busy", time.Microsecond, 10_000)
		must(b, err)
		purged += n
	}
	all.Wait()
	left := db.Count(b, "SELECT count(*) FROM job_runs WHERE handler = 'busy'")
	b.ReportMetric(float64(delivered.Load())/duration.Seconds(), "delivered/s")
	b.ReportMetric(float64(purged)/duration.Seconds(), "purged/s")
	// What is left is what a moment delivers.
	if most := int(delivered.Load()) / 10; left > most {
		b.Errorf("the purge left %d of %d runs", left, delivered.Load())
	}
}

func completeOne(store *pgstore.Store, key idem.Key) error {
	req := request(key)
	req.Handler = "busy"
	rec, err := store.Claim(context.Background(), req)
	if err != nil {
		return err
	}
	return store.Complete(context.Background(), rec.Token(), idem.Outcome{Status: idem.StatusDone, Result: []byte(`{"id":"12345678"}`)})
}
