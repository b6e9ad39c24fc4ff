package pgstore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// batchLog keeps the statements that were sent together last.
type batchLog struct{ sent []pgx.TraceBatchQueryData }

func (l *batchLog) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (l *batchLog) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (l *batchLog) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	l.sent = nil
	return ctx
}

func (l *batchLog) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	l.sent = append(l.sent, data)
}

func (l *batchLog) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// Completions that go together find their rows in a large table by the primary key,
// and are not each compared with all others, whatever the planner takes them for: it cannot
// know how many they are. Nor is the sweeper's index read, in which all runs are
// that have not been vacuumed.
func TestPlanOfCompletions(t *testing.T) {
	for name, prepare := range map[string]string{
		"never analysed": `SELECT`, "analysed while empty": `ANALYZE job_runs`, "large": fill + `ANALYZE job_runs`,
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			db.Exec(t, `ALTER TABLE job_runs SET (autovacuum_enabled = off)`)
			db.Exec(t, prepare)
			config, err := pgxpool.ParseConfig(pgtest.URL(db))
			must(t, err)
			log := new(batchLog)
			config.ConnConfig.Tracer = log
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			must(t, err)
			defer pool.Close()
			store := pgstore.New(pool, pgstore.Together())
			rec := hold(t, store, "notify:1")
			must(t, store.Complete(t.Context(), rec.Token(), idem.Outcome{Status: idem.StatusDone}))
			if plan := planAfter(t, pool, log.sent); name == "large" && !strings.Contains(plan, "job_runs_pkey") ||
				strings.Contains(plan, "Nested Loop") || strings.Contains(plan, "job_runs_running") {
				t.Errorf("the plan is\n%s", plan)
			}
		})
	}
}

// planAfter returns how the second of two statements is done in the transaction of
// the first.
func planAfter(t *testing.T, pool *pgxpool.Pool, sent []pgx.TraceBatchQueryData) string {
	t.Helper()
	if len(sent) != 2 {
		t.Fatalf("sent %d statements", len(sent))
	}
	tx, err := pool.Begin(t.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), sent[0].SQL, sent[0].Args...)
	must(t, err)
	rows, err := tx.Query(t.Context(), "EXPLAIN "+sent[1].SQL, sent[1].Args...)
	must(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return strings.Join(lines, "\n")
}
