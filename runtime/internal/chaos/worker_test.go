package chaos

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/rpc"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite" // the driver

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
)

// setup tells a worker what to do.
type setup struct {
	Dialect  string // postgres, sqlite
	DSN      string
	Coalesce bool
	Tx       bool // transactional mode
	Slots    int  // crowds at once
	Crowd    int  // deliveries that ask the store at the same time
}

const setupEnv = "IDEM_CHAOS_WORKER"

const (
	// lease is short, since most scenarios wait for leases to end, and real,
	// since their workers stand still.
	lease       = time.Second
	lockTimeout = lease / 2
	// attempts is without end: a scenario may kill the same key's workers again
	// and again.
	attempts = 1 << 30
)

var spec = idem.Spec{Handler: "notify", Lease: lease, Attempts: attempts}

// open opens the worker's store.
func (s setup) open(ctx context.Context) (idem.TxStore, error) {
	if s.Dialect == "sqlite" {
		db, err := sql.Open("sqlite", s.DSN)
		return sqlitestore.New(db, sqlitestore.WithLockTimeout(lockTimeout)), err
	}
	pool, err := pgxpool.New(ctx, s.DSN)
	if err != nil {
		return nil, err
	}
	opts := []pgstore.Option{pgstore.WithLockTimeout(lockTimeout)}
	if !s.Coalesce {
		opts = append(opts, pgstore.WithoutCoalescing())
	}
	return pgstore.New(pool, opts...), nil
}

func (s setup) record(store idem.TxStore, home home) recorded {
	return recorded{store, home, s.Dialect == "sqlite"}
}

// beWorker is what a worker's process does.
func beWorker(text string) error {
	var s setup
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	store, err := s.open(context.Background())
	if err != nil {
		return err
	}
	home := far{rpc.NewClient(struct {
		io.Reader
		io.WriteCloser
	}{os.Stdin, os.Stdout})}
	w := worker{store: s.record(store, home), home: home, setup: s}
	for range s.Slots {
		go func() {
			for {
				w.deliver(context.Background(), home.next(s.Crowd))
			}
		}()
	}
	select {} // until it is killed, or its home is gone
}

// worker handles deliveries.
type worker struct {
	store idem.Store
	home  home
	setup setup
}

// receipt is the result of the handler: no two runs give the same.
type receipt struct {
	ID    string
	Nonce int64
}

// deliver handles deliveries and answers the broker.
func (w worker) deliver(ctx context.Context, ds []Delivery) {
	if len(ds) == 0 {
		select {} // there are no more
	}
	crowd, ctx := newCrowd(ctx, len(ds))
	var all sync.WaitGroup
	for _, d := range ds {
		all.Go(func() {
			r := w.receipt(ctx, d)
			crowd.leave()
			w.home.settled(r)
		})
	}
	all.Wait()
}

func (w worker) receipt(ctx context.Context, d Delivery) Receipt {
	ctx, cancel := context.WithCancel(idem.WithDelivery(ctx, idem.Delivery{Redelivered: d.Redelivered}))
	defer cancel()
	ctx = context.WithValue(ctx, callerKey{}, ctx)
	deliver := w.inLease
	if w.setup.Tx {
		deliver = w.inTx
	}
	got, err := deliver(ctx, d, func(ctx context.Context) (receipt, error) {
		got, err := w.handle(ctx, d)
		if d.Cancel {
			cancel()
		}
		return got, err
	})
	if err == nil {
		text, err := json.Marshal(got)
		return Receipt{Number: d.Number, Key: d.Key, Result: string(text), Error: textOf(err)}
	}
	r := Receipt{Number: d.Number, Key: d.Key, Error: err.Error(), Retry: 10 * time.Millisecond}
	if inProgress, ok := errors.AsType[*idem.InProgressError](err); ok {
		r.Retry = inProgress.RetryAfter
	}
	return r
}

// callerKey has a context know the delivery's own, whatever is detached from it.
type callerKey struct{}

func textOf(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// handle is the handler.
func (w worker) handle(_ context.Context, d Delivery) (receipt, error) {
	switch d.Refuse {
	case "error":
		return receipt{}, errors.New("the provider is not well")
	case "later":
		return receipt{}, idem.RetryAfter(20*time.Millisecond, errors.New("too many requests"))
	}
	return receipt{ID: w.home.effect(d.Key, d.Number), Nonce: rand.Int64()}, nil
}

// inLease is what a generated wrapper does.
func (w worker) inLease(ctx context.Context, d Delivery, handle func(context.Context) (receipt, error)) (receipt, error) {
	run, err := idem.Claim[receipt](ctx, w.store, spec, d.Key)
	if err != nil {
		return receipt{}, err
	}
	if got, ok := run.Replay(); ok {
		return got, nil
	}
	defer run.Close()
	return run.Complete(handle(run.Context()))
}

// inTx is the same for a handler that writes a row in its transaction.
func (w worker) inTx(ctx context.Context, d Delivery, handle func(context.Context) (receipt, error)) (receipt, error) {
	insert := "INSERT INTO work VALUES ('" + string(d.Key) + "')"
	if w.setup.Dialect == "sqlite" {
		return commit(ctx, w.store, d.Key, func(ctx context.Context, tx *sql.Tx) (receipt, error) {
			if _, err := tx.ExecContext(ctx, insert); err != nil {
				return receipt{}, err
			}
			return handle(ctx)
		})
	}
	return commit(ctx, w.store, d.Key, func(ctx context.Context, tx pgx.Tx) (receipt, error) {
		if _, err := tx.Exec(ctx, insert); err != nil {
			return receipt{}, err
		}
		return handle(ctx)
	})
}

func commit[T any](ctx context.Context, store idem.Store, key idem.Key, work func(context.Context, T) (receipt, error)) (receipt, error) {
	run, err := idem.ClaimTx[T, receipt](ctx, store, spec, key)
	if err != nil {
		return receipt{}, err
	}
	if got, ok := run.Replay(); ok {
		return got, nil
	}
	return run.Commit(work)
}
