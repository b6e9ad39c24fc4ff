package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

func TestTransactions(t *testing.T) { storetest.RunTx(t, txHarness) }

func txHarness(t testing.TB) storetest.TxHarness {
	db := open(t)
	pool := pgtest.Pool(db)
	return storetest.TxHarness{
		Harness: storetest.Harness{Store: db.Store(), Advance: db.Advance, Table: db.Table(), Exec: db.Exec, Count: db.Count},
		TxStore: func(wait time.Duration) idem.TxStore {
			return pgstore.New(pool, pgstore.WithClock(pgtest.Clock), pgstore.WithLockTimeout(wait))
		},
		Work: func(tx idem.Tx, query string) error {
			_, err := tx.Handle().(pgx.Tx).Exec(context.Background(), query)
			return err
		},
		Idle: func() bool {
			return pool.Stat().AcquiredConns() == 0 && db.Count(t, `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND state LIKE 'idle in transaction%'`) == 0
		},
	}
}
