package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/internal/runstable"
)

// What the wrapper costs, beside the two statements that one would write by
// hand, on the same pool and in the same run: compare the ratios, not the
// times.

var benchKeys atomic.Int64

func nextKey() idem.Key { return idem.Key(fmt.Sprintf("notify:%d", benchKeys.Add(1))) }

func work1(context.Context) (receipt, error) { return receipt{ID: "msg", N: 1}, nil }

func BenchmarkFirstDelivery(b *testing.B) {
	db := openPostgres(b)
	pool := pgtest.Pool(db)
	b.Run("wrapper", func(b *testing.B) {
		parallel(b, func(ctx context.Context) error {
			_, err := deliverAs(ctx, db.Store(), nextKey())
			return err
		})
	})
	b.Run("by hand", func(b *testing.B) {
		parallel(b, func(ctx context.Context) error { return byHand(ctx, pool, nextKey()) })
	})
}

func BenchmarkDuplicate(b *testing.B) {
	db := openPostgres(b)
	pool := pgtest.Pool(db)
	if _, err := deliverAs(context.Background(), db.Store(), key); err != nil {
		b.Fatal(err)
	}
	for _, known := range []bool{false, true} {
		b.Run(fmt.Sprintf("wrapper, known as redelivered: %v", known), func(b *testing.B) {
			parallel(b, func(ctx context.Context) error {
				_, err := deliverAs(idem.WithDelivery(ctx, idem.Delivery{Redelivered: known}), db.Store(), key)
				return err
			})
		})
	}
	b.Run("by hand", func(b *testing.B) {
		parallel(b, func(ctx context.Context) error { return byHand(ctx, pool, key) })
	})
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

func parallel(b *testing.B, deliver func(context.Context) error) {
	b.SetParallelism(4)
	start := time.Now()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := deliver(b.Context()); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "deliveries/s")
}
