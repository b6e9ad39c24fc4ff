package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// connect opens a pool to a test's database with settings of its own.
func connect(t testing.TB, db idemtest.DB, set func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(pgtest.URL(db))
	must(t, err)
	config.MaxConns = 16
	set(config)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	must(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// storeWith is a store on a pool with settings of its own.
func storeWith(t testing.TB, db idemtest.DB, set func(*pgxpool.Config)) *pgstore.Store {
	t.Helper()
	return pgstore.New(connect(t, db, set), pgstore.WithClock(pgtest.Clock))
}

// Under these levels a claim that loses is an error of the database, 40001,
// which nobody may get to see.
func TestDefaultIsolation(t *testing.T) {
	for _, level := range []string{"repeatable read", "serializable"} {
		isolated := func(t testing.TB) storetest.Harness {
			db := open(t)
			return storetest.Harness{
				Store: storeWith(t, db, func(c *pgxpool.Config) {
					c.ConnConfig.RuntimeParams["default_transaction_isolation"] = level
				}),
				Advance: db.Advance, Table: db.Table(), Exec: db.Exec, Count: db.Count,
			}
		}
		t.Run(level, func(t *testing.T) {
			storetest.OneWinner(t, isolated, rounds(200), 8)
			if level == "serializable" { // every other level allows less
				storetest.Run(t, isolated)
			}
		})
	}
}

// What a pool behind pgbouncer is set to.
func TestQueryModes(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			db := open(t)
			store := storeWith(t, db, func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode })
			lifeOfARun(t, db, store)
		})
	}
}

// The statements that are sent about a large table, and for many, go in each mode, too.
func TestQueryModesInALargeTable(t *testing.T) {
	db := open(t)
	db.Exec(t, fill)
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		for _, kept := range [][]byte{nil, []byte("kept")} { // of fingerprints, payloads and errors
			t.Run(fmt.Sprintf("%v, %q", mode, kept), func(t *testing.T) {
				modesOfALargeTable(t, storeWith(t, db, func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode }), kept)
			})
		}
	}
}

func modesOfALargeTable(t *testing.T, store *pgstore.Store, kept []byte) {
	of := func(n int) idem.ClaimRequest {
		req := request(idem.Key(fmt.Sprint(t.Name(), n)))
		req.Fingerprint, req.Payload = kept, kept
		return req
	}
	for n := range 2 { // the second one is told nothing
		rec, err := store.Claim(t.Context(), of(n))
		must(t, err)
		must(t, store.Complete(t.Context(), rec.Token(), idem.Outcome{Status: idem.StatusDone, Result: []byte("sent")}))
	}
	reqs := []idem.ClaimRequest{of(2), of(3), of(2)}
	must(t, store.InsertAll(t.Context(), reqs...))
	var ends []protocol.End
	for _, req := range reqs[:2] {
		ends = append(ends, protocol.End{
			Token:   idem.Token{Key: req.Key, Owner: req.Owner, Attempt: 1},
			Outcome: idem.Outcome{Status: idem.StatusDone, Result: []byte("sent"), Error: string(kept)},
		})
	}
	must(t, store.CompleteAll(t.Context(), ends...))
	for n := range 4 {
		rec, err := store.Lookup(t.Context(), of(n).Key)
		if err != nil || rec.Status != idem.StatusDone || string(rec.Result) != "sent" || !bytes.Equal(rec.Fingerprint, kept) || n > 1 && rec.Error != string(kept) {
			t.Errorf("%d: got %+v, %v", n, rec, err)
		}
	}
}

// A store also takes a single connection, and a table in a schema.
func TestOneConnectionAndASchema(t *testing.T) {
	db := openTable(t, "app.runs")
	conn, err := pgx.Connect(t.Context(), pgtest.URL(db))
	must(t, err)
	defer conn.Close(context.Background())
	lifeOfARun(t, db, pgstore.New(conn, pgstore.WithTable("app.runs"), pgstore.WithClock(pgtest.Clock)))
}

// lifeOfARun has every statement of the store once.
func lifeOfARun(t *testing.T, db idemtest.DB, store *pgstore.Store) {
	t.Helper()
	valuesOfARun(t, db, store)
	ctx := t.Context()
	held := hold(t, store, "notify:1")
	must(t, store.Extend(ctx, held.Token(), 2*lease))
	must(t, store.Release(ctx, held.Token(), idem.Release{Error: "\u2603", Attempts: 3}))
	hold(t, store, "notify:1")
	db.Advance(2 * lease)
	swept, err := store.Sweep(ctx, 9)
	must(t, err)
	held = hold(t, store, "notify:1")
	result := []byte{0, 0xff, '\\', '\'', 'x'}
	must(t, store.Complete(ctx, held.Token(), idem.Outcome{Status: idem.StatusDone, Result: result}))
	rec, err := store.Claim(ctx, request("notify:1"))
	must(t, err)
	if swept != 1 || rec.Status != idem.StatusDone || !cmp.Equal(rec.Result, result) || rec.Token() != held.Token() {
		t.Errorf("swept %d, replayed %+v", swept, rec)
	}
	buried := request("notify:2")
	buried.Attempts = 1
	hold(t, store, "notify:2")
	db.Advance(2 * lease)
	if rec, err := store.Claim(ctx, buried); err != nil || rec.Status != idem.StatusDead {
		t.Errorf("buried: %+v, %v", rec, err)
	}
	db.Advance(2 * lease)
	if purged, err := store.Purge(ctx, "notify", lease, 9); err != nil || purged != 3 {
		t.Errorf("purged %d, %v", purged, err)
	}
	lifeOfATask(t, store)
}

func lifeOfATask(t *testing.T, store *pgstore.Store) {
	t.Helper()
	ctx := t.Context()
	for _, want := range []time.Duration{0, lease} {
		if wait, err := store.BeginTask(ctx, idem.SweepTask, lease); err != nil || wait != want {
			t.Errorf("wait %v, want %v; %v", wait, want, err)
		}
	}
	must(t, store.EndTask(ctx, idem.SweepTask, 7, "\u2603"))
	h, err := store.Health(ctx, []idem.Spec{{Handler: "notify", Retain: lease}})
	must(t, err)
	want := idem.Health{Tasks: []idem.TaskHealth{{Task: idem.SweepTask, Ran: true, Period: lease, Rows: 7, Error: "\u2603"}, {Task: idem.PurgeTask("notify")}}}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Error(diff)
	}
	list, err := store.Undelivered(ctx, "notify", idem.Undelivered{}, 9)
	if err != nil || len(list) != 0 {
		t.Errorf("undelivered: %v, %v", list, err)
	}
}

func TestMissingTable(t *testing.T) {
	store := pgstore.New(pgtest.Pool(open(t)), pgstore.WithTable("elsewhere"))
	_, claim := store.Claim(t.Context(), request("notify:1"))
	_, sweep := store.Sweep(t.Context(), 9)
	for _, err := range []error{claim, sweep} {
		var pgErr *pgconn.PgError
		if !errors.As(err, &pgErr) || !strings.Contains(err.Error(), "run the migrations") {
			t.Errorf("got %v", err)
		}
	}
}

// statementLog keeps the statements that pgx sends.
type statementLog struct {
	mu   sync.Mutex
	sent []string
}

func (l *statementLog) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = append(l.sent, strings.Fields(data.SQL)[0])
	return ctx
}

func (l *statementLog) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (l *statementLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	sent := l.sent
	l.sent = nil
	return sent
}

func TestStatementsOfADelivery(t *testing.T) {
	db := open(t)
	log := new(statementLog)
	store := storeWith(t, db, func(c *pgxpool.Config) { c.ConnConfig.Tracer = log })
	again := idem.WithDelivery(t.Context(), idem.Delivery{Redelivered: true})
	steps := []struct {
		name  string
		ctx   context.Context
		key   idem.Key
		value string
		want  []string
	}{
		{"the store's first, which asks for the schema", t.Context(), "notify:0", "", []string{"VALUES", "INSERT", "UPDATE"}},
		{"first delivery", t.Context(), "notify:1", "", []string{"INSERT", "UPDATE"}},
		{"duplicate of a done run", t.Context(), "notify:1", "", []string{"INSERT", "SELECT"}},
		{"known to be redelivered", again, "notify:1", "", []string{"SELECT"}},
		{"redelivered, but new", again, "notify:2", "", []string{"SELECT", "INSERT", "UPDATE"}},
		{"first delivery with a value", t.Context(), "charge:1", "one", []string{"INSERT", "UPDATE"}},
		{"duplicate with the same value", t.Context(), "charge:1", "one", []string{"INSERT", "SELECT"}},
		{"redelivered with the same value", again, "charge:1", "one", []string{"SELECT"}},
		{"duplicate with another value", t.Context(), "charge:1", "another", []string{"INSERT", "SELECT"}},
		{"redelivered with another value", again, "charge:1", "another", []string{"SELECT"}},
	}
	for _, step := range steps {
		if err := deliver(step.ctx, store, step.key, step.value); errors.Is(err, idem.ErrKeyReuse) != (step.value == "another") {
			t.Errorf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff(step.want, log.take()); diff != "" {
			t.Errorf("%s (-want +sent):\n%s", step.name, diff)
		}
	}
}
