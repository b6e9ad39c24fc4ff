package runtime_test

import (
	"context"
	"errors"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/internal/runstable"
)

var databases = map[string]func(migrations ...string) idemtest.Opener{
	"postgres": func(migrations ...string) idemtest.Opener {
		return pgtest.Open(pgtest.Config{Migrations: migrations})
	},
	"sqlite": func(migrations ...string) idemtest.Opener {
		return sqlitetest.Open(sqlitetest.Config{Migrations: migrations})
	},
}

func eachDatabase(t *testing.T, test func(t *testing.T, db idemtest.DB)) {
	for dialect, open := range databases {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			test(t, open(runstable.Migration(t, dialect, "job_runs"), runstable.Order(t, dialect, "job_runs"))(t))
		})
	}
}

// worker is a handler with its wrapper, as generated, around a provider that
// keeps what it saw.
type worker struct {
	spec  idem.Spec
	store idem.Store
	seen  []idem.Key
	err   error // what the handler returns
}

func newWorker(store idem.Store) *worker {
	return &worker{store: store, spec: idem.Spec{Handler: "notify", Lease: time.Minute, Attempts: 3}}
}

func (w *worker) deliver(ctx context.Context, key idem.Key) (receipt, error) {
	run, err := idem.Claim[receipt](ctx, w.store, w.spec, key)
	if err != nil {
		return receipt{}, err
	}
	if got, ok := run.Replay(); ok {
		return got, nil
	}
	defer run.Close()
	return run.Complete(w.handle(run.Context()))
}

// handle gives every effect another receipt, so that a replay can be told
// from a second run.
func (w *worker) handle(ctx context.Context) (receipt, error) {
	key, _ := idem.KeyFromContext(ctx)
	w.seen = append(w.seen, key)
	return receipt{ID: string(key), N: int64(len(w.seen))}, w.err
}

// crashed is a store of a worker that dies after n more calls: the last one
// happens or not, and its reply is lost either way.
type crashed struct {
	idem.Store
	calls  int
	happen bool
}

var errCrashed = errors.New("the process is gone")

func (c *crashed) alive() bool { c.calls--; return c.calls > 0 }

func (c *crashed) Claim(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if c.alive() {
		return c.Store.Claim(ctx, req)
	}
	if c.calls == 0 && c.happen {
		_, _ = c.Store.Claim(ctx, req)
	}
	return idem.Record{}, errCrashed
}

func (c *crashed) Complete(ctx context.Context, token idem.Token, o idem.Outcome) error {
	if c.alive() {
		return c.Store.Complete(ctx, token, o)
	}
	if c.calls == 0 && c.happen {
		_ = c.Store.Complete(ctx, token, o)
	}
	return errCrashed
}

func (c *crashed) Release(ctx context.Context, token idem.Token, r idem.Release) error {
	if c.alive() {
		return c.Store.Release(ctx, token, r)
	}
	if c.calls == 0 && c.happen {
		_ = c.Store.Release(ctx, token, r)
	}
	return errCrashed
}
