package chaos

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// lab is a scene whose every step is chosen: its workers are in this process,
// and the database's clock stands still. It has the suite's broker, provider,
// history and checks.
type lab struct {
	near
	t       testing.TB
	db      *database
	wire    *wire
	fault   fault
	changed atomic.Int32 // statements that the fault has changed
}

const stillClock = "(SELECT at FROM idem_clock)"

func newLab(t testing.TB, f fault) *lab {
	t.Helper()
	l := &lab{near: newNear(1), t: t, fault: f}
	l.db = newPostgres(t, pgstore.WithClock(stillClock))
	l.db.clock = stillClock
	l.db.exec(t, "CREATE TABLE idem_clock AS SELECT timestamptz '2001-02-03 04:05:06Z' AS at")
	l.db.exec(t, "ALTER TABLE idem_clock ALTER at SET NOT NULL")
	l.wire = newWire(t, "unix", filepath.Join(theServer(t).Dir, ".s.PGSQL.5432"))
	l.wire.choose()
	fault := strings.NewReplacer(f.rewrite...)
	l.wire.edit(func(sql string) string {
		if !strings.Contains(sql, f.statement) {
			return sql
		}
		edited := fault.Replace(sql)
		if edited != sql {
			l.changed.Add(1)
		}
		return edited
	})
	return l
}

// open returns a store that has the fault, if it is not in what wrappers do.
func (l *lab) open() idem.TxStore {
	l.t.Helper()
	url := fmt.Sprintf("postgres://idemtest@%s/%s?sslmode=disable", l.wire.listener.Addr(), l.db.name)
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(pool.Close)
	var store idem.TxStore = pgstore.New(pool, pgstore.WithClock(stillClock))
	if l.fault.wrap != nil {
		store = l.fault.wrap(store)
	}
	return store
}

func (l *lab) worker(at home) worker {
	return worker{store: idem.Configure(recorded{TxStore: l.open(), home: l}, idem.WithoutHeartbeat()), home: at}
}

func (l *lab) advance(by time.Duration) {
	l.t.Helper()
	l.db.exec(l.t, fmt.Sprintf("UPDATE idem_clock SET at = at + interval '%d microseconds'", by.Microseconds()))
}

func (l *lab) sweep(store idem.Store) {
	l.t.Helper()
	if _, err := l.history.sweep(func() (int, error) { return store.Sweep(context.Background(), 100) }); err != nil {
		l.t.Error(err)
	}
}

// publish has the broker know a key.
func (l *lab) publish() idem.Key {
	key := idem.Key(fmt.Sprintf("notify:%d", len(l.broker.keys)+1))
	l.broker.keys = append(l.broker.keys, key)
	return key
}

// deliver delivers a key, and has the answer acknowledged.
func (l *lab) deliver(w worker, d Delivery) Receipt {
	r := w.receipt(context.Background(), d)
	l.settled(r)
	return r
}

// slow is a delivery whose worker stands still when the provider has answered.
type slow struct {
	near
	called, goOn chan struct{}
	done         chan struct{}
}

func (s slow) effect(key idem.Key, delivery int) string {
	id := s.near.effect(key, delivery)
	close(s.called)
	<-s.goOn
	return id
}

// deliverSlowly returns when the provider has answered.
func (l *lab) deliverSlowly(key idem.Key) slow {
	s := slow{l.near, make(chan struct{}), make(chan struct{}), make(chan struct{})}
	w := l.worker(s)
	go func() {
		l.deliver(w, Delivery{Key: key})
		close(s.done)
	}()
	<-s.called
	return s
}

// finish has the worker go on, and waits for its answer.
func (s slow) finish() {
	close(s.goOn)
	<-s.done
}

// findings looks at what the schedule has left, as after any scenario.
func (l *lab) findings() []finding {
	w := worker{store: idem.Configure(recorded{TxStore: l.db.store, home: l}, idem.WithoutHeartbeat()), home: l}
	return (&evidence{near: l.near, db: l.db, worker: w}).settle()
}
