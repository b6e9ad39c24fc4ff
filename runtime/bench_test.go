package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/internal/runstable"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// What the wrapper costs, beside the two statements that one would write by
// hand, on the same pool and in the same run: compare the ratios, not the
// times.

var benchKeys atomic.Int64

func nextKey() idem.Key { return idem.Key(fmt.Sprintf("notify:%d", benchKeys.Add(1))) }

func work1(context.Context) (receipt, error) { return receipt{ID: "msg", N: 1}, nil }

// BenchmarkAgainstHand compares deliveries with what one would write by hand.
// The ways take turns, so that what else the machine does hits all alike.
func BenchmarkAgainstHand(b *testing.B) {
	for _, table := range []struct {
		name    string
		prepare string
	}{{"new", ""}, {"analysed while empty", "ANALYZE job_runs"}} {
		db := openPostgres(b)
		pool := poolOf8(b, db)
		if table.prepare != "" {
			db.Exec(b, table.prepare)
		}
		store := pgstore.New(pool)
		apart := pgstore.New(pool, pgstore.WithoutCoalescing())
		for _, goroutines := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("first/%s/%d", table.name, goroutines), func(b *testing.B) {
				compare(b, goroutines, func(ctx context.Context) error { return byHand(ctx, pool, nextKey()) },
					way{"wrapper", func(ctx context.Context) error { _, err := deliverAs(ctx, store, nextKey()); return err }},
					way{"apart", func(ctx context.Context) error { _, err := deliverAs(ctx, apart, nextKey()); return err }})
			})
			key := nextKey()
			if _, err := deliverAs(context.Background(), store, key); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("duplicate/%s/%d", table.name, goroutines), func(b *testing.B) {
				duplicate := func(redelivered bool) func(context.Context) error {
					return func(ctx context.Context) error {
						_, err := deliverAs(idem.WithDelivery(ctx, idem.Delivery{Redelivered: redelivered}), store, key)
						return err
					}
				}
				compare(b, goroutines, func(ctx context.Context) error { return byHand(ctx, pool, key) },
					way{"wrapper", duplicate(false)}, way{"redelivered", duplicate(true)})
			})
		}
	}
}

// BenchmarkBatchAgainstHand compares batches of 100 with single deliveries that one
// would write by hand, by one goroutine and by eight.
func BenchmarkBatchAgainstHand(b *testing.B) {
	db := openPostgres(b)
	pool := poolOf8(b, db)
	store := pgstore.New(pool)
	for _, goroutines := range []int{1, 8} {
		b.Run(fmt.Sprint(goroutines), func(b *testing.B) {
			compare(b, goroutines, func(ctx context.Context) error {
				for range 100 {
					if err := byHand(ctx, pool, nextKey()); err != nil {
						return err
					}
				}
				return nil
			}, way{"batch", func(ctx context.Context) error { return batchOf100(ctx, store) }})
		})
	}
}

func batchOf100(ctx context.Context, store idem.Store) error {
	keys := make([]idem.Key, 100)
	for i := range keys {
		keys[i] = nextKey()
	}
	for _, d := range idem.Batch(ctx, store, keys, func(key idem.Key) (idem.Key, error) { return key, nil }, deliverAs, idem.Limit(100)) {
		if d.Err != nil {
			return d.Err
		}
	}
	return nil
}

func poolOf8(b *testing.B, db idemtest.DB) *pgxpool.Pool {
	b.Helper()
	config, err := pgxpool.ParseConfig(pgtest.URL(db))
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = 8
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return pool
}

type way struct {
	name    string
	deliver func(context.Context) error
}

// compare reports how many times as fast as by hand each way is.
func compare(b *testing.B, goroutines int, byHand func(context.Context) error, ways ...way) {
	ways = append([]way{{"by hand", byHand}}, ways...)
	counts, times := make([]int64, len(ways)), make([]time.Duration, len(ways))
	for range b.N {
		for i, w := range ways {
			count, took := during(b, 100*time.Millisecond, goroutines, w.deliver)
			counts[i] += count
			times[i] += took
		}
	}
	rate := func(i int) float64 { return float64(counts[i]) / times[i].Seconds() }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(rate(0), "by-hand/s")
	for i, w := range ways[1:] {
		b.ReportMetric(rate(i+1)/rate(0), w.name)
	}
}

// during counts the deliveries that goroutines make in a time, which is over when
// the last has returned.
func during(b *testing.B, d time.Duration, goroutines int, deliver func(context.Context) error) (int64, time.Duration) {
	var count atomic.Int64
	start := time.Now()
	end := start.Add(d)
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for time.Now().Before(end) {
				if err := deliver(b.Context()); err != nil {
					b.Error(err)
					return
				}
				count.Add(1)
			}
		})
	}
	all.Wait()
	return count.Load(), time.Since(start)
}

// BenchmarkWrapper is the wrapper's own cost, with a store that costs nothing.
func BenchmarkWrapper(b *testing.B) {
	store := &scripted{completed: func(context.Context, idem.Outcome) error { return nil }}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := deliver(b.Context(), store, work1); err != nil {
			b.Fatal(err)
		}
	}
}

func openPostgres(b *testing.B) idemtest.DB {
	b.Helper()
	return pgtest.Open(pgtest.Config{Migrations: []string{runstable.Migration(b, "postgres", "job_runs")}, RealClock: true})(b)
}

func deliverAs(ctx context.Context, store idem.Store, key idem.Key) (receipt, error) {
	run, err := idem.Claim[receipt](ctx, store, leased, key)
	if err != nil {
		return receipt{}, err
	}
	if got, ok := run.Replay(); ok {
		return got, nil
	}
	defer run.Close()
	return run.Complete(work1(run.Context()))
}

// byHand is what one would write oneself: an insert that may lose, a look at
// the winner's result, and an update.
func byHand(ctx context.Context, pool *pgxpool.Pool, key idem.Key) error {
	owner := idem.NewOwner()
	tag, err := pool.Exec(ctx, `INSERT INTO job_runs (key, handler, status, attempts, owner, due, created_at, claimed_at)
		VALUES ($1, 'notify', 'running', 1, $2, clock_timestamp() + interval '1 minute', clock_timestamp(), clock_timestamp())
		ON CONFLICT (key) DO NOTHING`, string(key), [16]byte(owner))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		var data []byte
		if err := pool.QueryRow(ctx, "SELECT result FROM job_runs WHERE key = $1", string(key)).Scan(&data); err != nil {
			return err
		}
		var got receipt
		return json.Unmarshal(data, &got)
	}
	result, err := work1(ctx)
	if err != nil {
		return err
	}
	data, err := json.Marshal(result)
	if err != nil {
		return err
	}
	_, err = pool.Exec(ctx, `UPDATE job_runs SET status = 'done', result = $3, due = NULL, completed_at = clock_timestamp()
		WHERE key = $1 AND owner = $2`, string(key), [16]byte(owner), data)
	return err
}
