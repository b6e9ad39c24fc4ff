package pgstore_test

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

func TestOrder(t *testing.T) {
	storetest.RunOrder(t, func(t testing.TB) storetest.MaintenanceHarness {
		h := harness(t)
		h.Exec(t, `CREATE TABLE refused (refused_name text);
			CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				IF EXISTS (SELECT FROM refused WHERE refused_name = OLD.entity) THEN RAISE EXCEPTION 'refused by the test'; END IF;
				RETURN OLD;
			END $$;
			CREATE TRIGGER refuse BEFORE DELETE ON job_runs_order FOR EACH ROW EXECUTE FUNCTION refuse()`)
		return storetest.MaintenanceHarness{Harness: h, Refuse: func(t testing.TB, name string) {
			h.Exec(t, fmt.Sprintf("INSERT INTO refused VALUES ('%s')", name))
		}}
	})
}

func TestOrderFaults(t *testing.T) {
	storetest.RunOrderFaults(t, func(t testing.TB, wire *storetest.Wire) storetest.Harness {
		db := open(t)
		return storetest.Harness{
			Store:   pgstore.New(wired{pgtest.Pool(db), wire}, pgstore.WithClock(pgtest.Clock)),
			Advance: db.Advance, Table: db.Table(), Exec: db.Exec, Count: db.Count,
		}
	})
}

func TestOrderInTransactions(t *testing.T) { storetest.RunOrderTx(t, txHarness) }

// A real connection breaks at each statement about an entity, as in
// TestCutConnection.
func TestOrderCutConnection(t *testing.T) {
	for _, when := range []cutting{beforeSent, afterCommitted} {
		t.Run(when.String(), func(t *testing.T) {
			var next atomic.Int32
			pool := connect(t, open(t), func(c *pgxpool.Config) {
				dial := c.ConnConfig.DialFunc
				c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
					conn, err := dial(ctx, network, addr)
					return &cuttable{Conn: conn, next: &next}, err
				}
			})
			store := pgstore.New(pool, pgstore.WithClock(pgtest.Clock))
			ctx := t.Context()
			must(t, store.Leave(ctx, enter(t, store, event("account:7", 1)))) // and the schema is known
			for lease := int64(2); lease < 4; lease++ {
				var token idem.EntityToken
				for what, write := range []func() error{
					func() error { token = enter(t, store, event("account:7", 1)); return nil },
					func() error { return store.Keep(ctx, token, time.Minute) },
					func() error { return store.Apply(ctx, token, 1) },
				} {
					next.Store(int32(when))
					if err := write(); err != nil || next.Load() != int32(uncut) || token.Lease != lease {
						t.Errorf("write %d under lease %d: %v", what, token.Lease, err)
					}
				}
			}
			entity, err := store.Enter(ctx, event("account:7", 0))
			if err != nil || entity.Held || !entity.Stale(0) || entity.Lease != 3 {
				t.Errorf("got %+v, %v", entity, err)
			}
		})
	}
}
