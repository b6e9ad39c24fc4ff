package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// watched is a connection that counts round trips, and breaks at a commit when
// it is told to.
type watched struct {
	net.Conn
	w     *watch
	wrote bool // since the last answer
	deaf  bool
	gone  bool // as far as the client knows
}

type watch struct {
	mu    sync.Mutex
	trips int
	next  cutting // what becomes of the next commit
	// late is a commit that is on its way still, and the connection that it is on.
	late   []byte
	server net.Conn
}

// onItsWay is a commit that the server has not got when the client has given up.
const onItsWay cutting = 99

func (c *watched) Write(b []byte) (int, error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !c.wrote {
		c.wrote = true
		c.w.trips++
	}
	if c.w.next != uncut && bytes.Contains(b, []byte("commit\x00")) {
		when := c.w.next
		c.w.next = uncut
		switch when {
		case beforeSent:
			_ = c.Close()
			return 0, errReset
		case onItsWay:
			c.gone, c.w.late, c.w.server = true, bytes.Clone(b), c.Conn
		default:
			c.deaf = true
		}
	}
	if c.gone {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *watched) Close() error {
	if c.gone {
		return nil
	}
	return c.Conn.Close()
}

func (c *watched) Read(b []byte) (int, error) {
	if c.gone {
		return 0, errReset
	}
	if c.deaf {
		_, _ = c.Conn.Read(make([]byte, 4096)) // the answer, so that it is committed
		_ = c.Close()
		return 0, errReset
	}
	n, err := c.Conn.Read(b)
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.wrote = c.wrote && n == 0
	return n, err
}

// watching is a store whose every statement is watched.
func watching(t *testing.T, db idemtest.DB, opts ...pgstore.Option) (*pgstore.Store, *pgxpool.Pool, *watch) {
	t.Helper()
	w := new(watch)
	pool := connect(t, db, func(c *pgxpool.Config) {
		c.MaxConns = 1
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			return &watched{Conn: conn, w: w}, err
		}
	})
	opts = append([]pgstore.Option{pgstore.WithClock(pgtest.Clock)}, opts...)
	return pgstore.New(pool, opts...), pool, w
}

// tripsOf counts the round trips of what a pool of one connection, which has
// prepared its statements, is asked.
func (w *watch) tripsOf(do func()) int {
	w.mu.Lock()
	w.trips = 0
	w.mu.Unlock()
	do()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.trips
}

var notify = idem.Spec{Handler: "notify", Lease: lease, Attempts: 3}

func notifyOnce(ctx context.Context, store idem.Store, key idem.Key, handle func(context.Context, pgx.Tx) (int, error)) (int, error) {
	run, err := idem.ClaimTx[pgx.Tx, int](ctx, store, notify, key)
	if err != nil {
		return 0, err
	}
	if result, ok := run.Replay(); ok {
		return result, nil
	}
	return run.Commit(handle)
}

func nothing(context.Context, pgx.Tx) (int, error) { return 1, nil }

func TestTxRoundTrips(t *testing.T) {
	store, _, w := watching(t, open(t))
	deliver := func(key idem.Key, redelivered bool, handle func(context.Context, pgx.Tx) (int, error)) func() {
		return func() {
			_, _ = notifyOnce(idem.WithDelivery(t.Context(), idem.Delivery{Redelivered: redelivered}), store, key, handle)
		}
	}
	fail := func(context.Context, pgx.Tx) (int, error) { return 0, errors.New("no") }
	deliver("notify:warm", false, fail)()
	deliver("notify:warm", false, nothing)()
	deliver("notify:warm", true, nothing)()
	for _, tt := range []struct {
		name string
		want int
		do   func()
	}{
		{"first delivery", 3, deliver("notify:1", false, nothing)},
		{"duplicate", 3, deliver("notify:1", false, nothing)},
		{"known redelivery", 1, deliver("notify:1", true, nothing)},
		{"error", 5, deliver("notify:2", false, fail)}, // claim, rollback, claim, release, commit
	} {
		if got := w.tripsOf(tt.do); got != tt.want {
			t.Errorf("%s: %d round trips; want %d", tt.name, got, tt.want)
		}
	}
}

// The database's own defaults do not matter, and its settings bound the handler.
func TestTxSettings(t *testing.T) {
	db := open(t)
	store, pool, _ := watching(t, db, pgstore.WithLockTimeout(1500*time.Microsecond))
	_, err := pool.Exec(t.Context(), `SET default_transaction_isolation = 'serializable'`)
	must(t, err)
	got := func(q interface {
		QueryRow(context.Context, string, ...any) pgx.Row
	}) (text string) {
		must(t, q.QueryRow(t.Context(), `SELECT current_setting('transaction_isolation') || ' ' || current_setting('lock_timeout') || ' ' ||
			current_setting('idle_in_transaction_session_timeout')`).Scan(&text))
		return text
	}
	_, err = notifyOnce(t.Context(), store, "notify:1", func(_ context.Context, tx pgx.Tx) (int, error) {
		if text := got(tx); text != "read committed 2ms 1min" {
			t.Errorf("in the transaction: %s", text)
		}
		return 1, nil
	})
	must(t, err)
	if text := got(pool); text != "serializable 0 0" {
		t.Errorf("after it: %s", text)
	}
}
