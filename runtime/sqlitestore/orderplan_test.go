package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
)

// event asks for an entity.
func event(entity string, version int64) idem.EntityRequest {
	return idem.EntityRequest{Handler: "notify", Entity: entity, Version: version, Key: "notify:1", Owner: idem.NewOwner(), Lease: lease}
}

func enter(t testing.TB, store idem.OrderStore, req idem.EntityRequest) idem.EntityToken {
	t.Helper()
	entity, err := store.Enter(context.Background(), req)
	if err != nil || !entity.HeldBy(req.Owner) {
		t.Fatalf("enter %q: got %+v, %v", req.Entity, entity, err)
	}
	return entity.Token()
}

// counted is a store whose statements are noted.
func counted(t *testing.T, db idemtest.DB) (store *sqlitestore.Store, statements func(do func()) []string) {
	t.Helper()
	var sent []string
	behind := sql.OpenDB(wired{db.SQL(), func(ctx context.Context, query string, run func(context.Context) error) error {
		sent = append(sent, strings.TrimSpace(query))
		return run(ctx)
	}})
	t.Cleanup(func() { _ = behind.Close() })
	return sqlitestore.New(behind), func(do func()) []string {
		sent = nil
		do()
		return sent
	}
}

// The statements about entities search an index, and none of them reads all of the
// table.
func TestOrderUsesIndexes(t *testing.T) {
	db := open(t)
	store, statements := counted(t, db)
	sent := statements(func() {
		token := enter(t, store, event("account:7", 1))
		must(t, store.Keep(t.Context(), token, lease))
		must(t, store.Leave(t.Context(), token))
		must(t, store.Apply(t.Context(), enter(t, store, event("account:7", 1)), 1))
		db.Exec(t, "UPDATE job_runs_order SET applied_at = 0, created_at = 0")
		if n, err := store.PurgeEntities(t.Context(), "notify", time.Hour, 9); n != 1 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}
	})
	plans := map[string]string{}
	for _, query := range sent {
		if plan := explain(t, db.SQL(), query); strings.Contains(query, "job_runs_order") && !strings.HasPrefix(query, "SELECT 1, sql") {
			plans[query] = plan
		}
	}
	if len(plans) != 8 {
		t.Errorf("%d statements, want all 8", len(plans))
	}
	for query, plan := range plans {
		want := "INDEX sqlite_autoindex_job_runs_order_1 (handler=? AND entity=?)"
		switch {
		case strings.HasPrefix(query, "INSERT"):
			want = ""
		case strings.Contains(query, "LIMIT"):
			want = "INDEX job_runs_order_touched (handler=? AND <expr>>? AND <expr><?)"
		}
		if !strings.Contains(plan, want) || strings.Contains(plan, "SCAN job_runs_order") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\n%s", query, plan)
		}
	}
}

// How many statements an ordered delivery takes. In a transaction, whose statements
// no wire carries, it is those of the twin for Postgres.
func TestOrderStatements(t *testing.T) {
	store, statements := counted(t, open(t))
	spec := idem.Spec{Handler: "notify", Lease: lease, Attempts: 99, Ordered: true}
	deliver := func(key idem.Key, entity string, version int64, handlerErr error) func() {
		return func() {
			run, err := idem.Claim[int](t.Context(), store, spec, key, idem.WithOrder(idem.NewOrder(idem.At("v", version), idem.Literal(entity))))
			if err != nil {
				return
			}
			if _, ok := run.Replay(); !ok {
				_, _ = run.Complete(1, handlerErr)
			}
		}
	}
	deliver("notify:warm", "warm", 1, nil)()
	enter(t, store, event("held", 1))
	for _, step := range []struct {
		name string
		want int
		do   func()
	}{
		{"first of an entity", 5, deliver("notify:1", "account:7", 2, nil)},
		{"of a known entity", 5, deliver("notify:2", "account:7", 3, nil)},
		{"stale", 3, deliver("notify:3", "account:7", 1, nil)},
		{"busy", 3, deliver("notify:4", "held", 1, nil)},
		{"failed", 5, deliver("notify:5", "account:7", 4, errors.New("no"))},
		{"duplicate", 2, deliver("notify:1", "account:7", 2, nil)},
	} {
		if got := statements(step.do); len(got) != step.want {
			t.Errorf("%s: %d statements; want %d:\n%s", step.name, len(got), step.want, strings.Join(got, "\n"))
		}
	}
}

// The table of entities has a version of its own.
func TestOrderSchema(t *testing.T) {
	for name, call := range map[string]func(*sqlitestore.Store) error{
		"enter": func(s *sqlitestore.Store) error { _, err := s.Enter(t.Context(), event("account:7", 1)); return err },
		"purge": func(s *sqlitestore.Store) error {
			_, err := s.PurgeEntities(t.Context(), "notify", lease, 9)
			return err
		},
		"in a transaction": func(s *sqlitestore.Store) error {
			_, tx, err := s.ClaimTx(t.Context(), request("notify:tx"))
			must(t, err)
			defer tx.Rollback(t.Context())
			_, err = tx.(idem.Entities).Enter(t.Context(), event("account:8", 1))
			return err
		},
	} {
		db := open(t)
		store := sqlitestore.New(db.SQL())
		const columns = "handler TEXT, entity TEXT, version INTEGER, lease INTEGER, key TEXT, owner TEXT, due INTEGER, applied_at INTEGER, created_at INTEGER, PRIMARY KEY (handler, entity)"
		create := func(schema int) {
			db.Exec(t, "DROP TABLE IF EXISTS job_runs_order")
			db.Exec(t, fmt.Sprintf("CREATE TABLE job_runs_order (/* idemgen schema %d */ %s)", schema, columns))
		}
		create(7)
		err := call(store)
		var schema *idem.SchemaError
		if !errors.As(err, &schema) || schema.Table != "job_runs_order" || schema.Found != 7 {
			t.Errorf("%s: %v", name, err)
		}
		create(1)
		if err := call(store); err != nil {
			t.Errorf("%s, mended: %v", name, err)
		}
		db.Exec(t, "DROP TABLE job_runs_order")
		if err := call(store); err == nil || !strings.Contains(err.Error(), "table job_runs_order is not there; run the migrations") {
			t.Errorf("%s, no table: %v", name, err)
		}
		if n := db.SQL().Stats().InUse; n > 0 {
			t.Errorf("%s: %d connections are held", name, n)
		}
	}
}
