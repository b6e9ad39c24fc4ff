package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// mishaps are what may become of a handler that has done its work.
func mishaps(cancel context.CancelFunc, db idemtest.DB) []handled {
	no := errors.New("no")
	list := []handled{
		failing(no), failing(idem.RetryAfter(0, no)),
		func(context.Context, func(string) error) (receipt, error) { panic(no) },
		func(_ context.Context, exec func(string) error) (receipt, error) {
			return receipt{}, exec("INSERT INTO nowhere VALUES (1)")
		},
		func(_ context.Context, exec func(string) error) (receipt, error) {
			_ = exec("nonsense")
			return receipt{}, nil
		},
		func(_ context.Context, exec func(string) error) (receipt, error) {
			cancel()
			return receipt{}, exec("INSERT INTO work VALUES ('more')")
		},
	}
	if db.Name() == "postgres" {
		list = append(list, func(_ context.Context, exec func(string) error) (receipt, error) {
			_ = exec("SELECT pg_terminate_backend(pg_backend_pid())")
			return receipt{}, nil
		})
	} else {
		list = slices.Delete(list, 4, 5) // SQLite goes on after a failing statement
	}
	return list
}

// The invariants, with whatever may happen to many workers at a few keys: as much
// work is committed as runs are done, once for each key, and everybody who is
// answered with a result gets the same.
func TestTxInvariants(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		const workers, deliveries, keys = 6, 40, 7
		w := newTxWorker(t, db)
		w.spec.Attempts = workers * deliveries
		var mu sync.Mutex
		results := map[idem.Key]receipt{}
		deliver := func(key idem.Key, mishap int) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			own := &txWorker{t: t, db: db, store: w.patient(5 * time.Second), spec: w.spec}
			_ = recovered(func() {
				got, err := own.deliver(ctx, key, func(ctx context.Context, exec func(string) error) (receipt, error) {
					if list := mishaps(cancel, db); mishap < len(list) {
						return list[mishap](ctx, exec)
					}
					return receipt{ID: "m", N: rand.Int64()}, nil
				})
				mu.Lock()
				defer mu.Unlock()
				if first, ok := results[key]; err == nil && ok && first != got {
					t.Errorf("%s: %v and %v", key, first, got)
				} else if err == nil {
					results[key] = got
				}
			})
		}
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for range deliveries {
					deliver(idem.Key(fmt.Sprint("notify:", rand.N(keys))), rand.N(8))
				}
			})
		}
		all.Wait()
		for i := range keys {
			deliver(idem.Key(fmt.Sprint("notify:", i)), 99)
		}
		rows, distinct := db.Count(t, "SELECT count(*) FROM work"), db.Count(t, "SELECT count(DISTINCT event) FROM work")
		done, runs := db.Count(t, "SELECT count(*) FROM job_runs WHERE status = 'done'"), db.Count(t, "SELECT count(*) FROM job_runs")
		if rows != keys || distinct != keys || done != keys || runs != keys || len(results) != keys {
			t.Errorf("%d keys: %d rows of the work, %d distinct; %d runs, %d done; %d results", keys, rows, distinct, runs, done, len(results))
		}
		w.want("after all", "more", 0)
	})
}
