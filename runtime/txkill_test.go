package runtime_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// inTransactions stands in the place of a provider's address for workers whose
// work is a row.
const inTransactions = "in transactions"

// txDeliver is the wrapper of a handler that writes a row for each key.
func txDeliver(ctx context.Context, dialect string, store idem.Store, key idem.Key) (receipt, error) {
	spec := idem.Spec{Handler: "notify", Lease: leased.Lease, Attempts: 50}
	insert := "INSERT INTO work VALUES ('" + string(key) + "')"
	if dialect == "sqlite" {
		return deliverTx(ctx, store, spec, key, func(ctx context.Context, tx *sql.Tx) (receipt, error) {
			_, err := tx.ExecContext(ctx, insert)
			return receipt{N: rand.Int64()}, err
		})
	}
	return deliverTx(ctx, store, spec, key, func(ctx context.Context, tx pgx.Tx) (receipt, error) {
		_, err := tx.Exec(ctx, insert)
		return receipt{N: rand.Int64()}, err
	})
}

// txWork delivers key after key, each twice at once, until it is killed.
func txWork(address string, store idem.Store, prefix string) error {
	dialect, _, _ := strings.Cut(address, " ")
	out := json.NewEncoder(os.Stdout)
	var mu sync.Mutex
	for i := 0; ; i++ {
		key := idem.Key(fmt.Sprintf("%s%d", prefix, i))
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				got, err := txDeliver(context.Background(), dialect, store, key)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					_ = out.Encode(ack{key, got})
				case !errors.Is(err, idem.ErrInProgress):
					fmt.Fprintln(os.Stderr, key, err)
				}
			})
		}
		both.Wait()
	}
}

// Invariant 7 in transactions: a worker may be killed at any instant. What it has
// answered is committed, and of what is not done there is no trace.
func TestTxKill(t *testing.T) {
	rounds := kills / 4
	if testing.Short() {
		rounds = 5
	}
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		keys, midway := 0, 0
		for round := range rounds {
			prefix := fmt.Sprintf("notify:%d.", round)
			acked := killWorker(t, storeAddress(db), inTransactions, prefix)
			for i := range len(acked) + 1 {
				key := idem.Key(fmt.Sprintf("%s%d", prefix, i))
				got, err := txDeliver(t.Context(), db.Name(), w.store, key)
				if first, ok := acked[key]; err != nil || ok && first != got {
					t.Errorf("%s: %v, error %v; the dead worker had answered %v", key, got, err, first)
				} else if !ok {
					midway++
				}
				keys++
			}
		}
		rows := db.Count(t, "SELECT count(*) FROM work")
		distinct := db.Count(t, "SELECT count(DISTINCT event) FROM work")
		done := db.Count(t, "SELECT count(*) FROM job_runs WHERE status = 'done' AND attempts = 1")
		if rows != keys || distinct != keys || done != keys {
			t.Errorf("%d keys: %d rows of the work, %d distinct; %d runs are done on their first attempt", keys, rows, distinct, done)
		}
		t.Logf("%d kills, %d keys, %d delivered again", rounds, keys, midway)
	})
}
