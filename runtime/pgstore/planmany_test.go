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

// lastQuery keeps what was sent last.
type lastQuery struct{ pgx.TraceQueryStartData }

func (l *lastQuery) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	l.TraceQueryStartData = data
	return ctx
}

func (l *lastQuery) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

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
			log := new(lastQuery)
			config.ConnConfig.Tracer = log
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			must(t, err)
			defer pool.Close()
			store := pgstore.New(pool, pgstore.Together())
			rec := hold(t, store, "notify:1")
			must(t, store.Complete(t.Context(), rec.Token(), idem.Outcome{Status: idem.StatusDone}))
			if plan := explain(t, pool, log.SQL, log.Args); name == "large" && !strings.Contains(plan, "job_runs_pkey") ||
				!strings.Contains(plan, "Hash Join") || strings.Contains(plan, "job_runs_running") {
				t.Errorf("the plan is\n%s", plan)
			}
		})
	}
}

func explain(t *testing.T, pool *pgxpool.Pool, sql string, args []any) string {
	t.Helper()
	rows, err := pool.Query(t.Context(), "EXPLAIN "+sql, args...)
	must(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return strings.Join(lines, "\n")
}
