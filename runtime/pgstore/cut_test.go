package pgstore_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// TestCutConnection breaks a real connection: either the server never sees
// the statement, or it commits and its answer is never seen. The driver
// reports both in the same way.
func TestCutConnection(t *testing.T) {
	for name, option := range modes {
		for _, when := range []cutting{beforeSent, afterCommitted} {
			t.Run(name+", "+when.String(), func(t *testing.T) { cutConnection(t, when, option) })
		}
	}
}

func cutConnection(t *testing.T, when cutting, option pgstore.Option) {
	db := open(t)
	var next atomic.Int32
	pool := connect(t, db, func(c *pgxpool.Config) {
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			return &cuttable{Conn: conn, next: &next}, err
		}
	})
	store := pgstore.New(pool, pgstore.WithClock(pgtest.Clock), option)
	cut := func() {
		t.Helper()
		if !next.CompareAndSwap(int32(uncut), int32(when)) {
			t.Fatal("the connection before was not cut")
		}
	}
	ctx := t.Context()

	cut()
	held := hold(t, store, "notify:1")
	if held.Attempt != 1 || held.Remaining != lease {
		t.Errorf("new: got %+v", held)
	}
	cut()
	must(t, store.Extend(ctx, held.Token(), lease))
	cut()
	must(t, store.Release(ctx, held.Token(), idem.Release{Attempts: 9}))
	cut()
	if held = hold(t, store, "notify:1"); held.Attempt != 2 {
		t.Errorf("due: got %+v", held)
	}
	cut()
	must(t, store.Complete(ctx, held.Token(), idem.Outcome{Status: idem.StatusDone, Result: []byte("result")}))
	cut()
	rec, err := store.Claim(ctx, request("notify:1"))
	if err != nil || string(rec.Result) != "result" || rec.Token() != held.Token() {
		t.Errorf("done: got %+v, %v", rec, err)
	}
	if next.Load() != int32(uncut) {
		t.Error("the last connection was not cut")
	}
}

type cutting int32

const (
	uncut cutting = iota
	beforeSent
	afterCommitted
)

func (c cutting) String() string {
	return [...]string{"uncut", "before the statement is sent", "after it is committed"}[c]
}

// cuttable is a connection that breaks at the next statement when told to.
type cuttable struct {
	net.Conn
	next *atomic.Int32
	deaf bool // the next answer gets lost
}

var errReset = errors.New("connection reset by peer")

func (c *cuttable) Write(b []byte) (int, error) {
	if executes(b) {
		switch cutting(c.next.Swap(int32(uncut))) {
		case beforeSent:
			_ = c.Close()
			return 0, errReset
		case afterCommitted:
			c.deaf = true
		}
	}
	return c.Conn.Write(b)
}

func (c *cuttable) Read(b []byte) (int, error) {
	if !c.deaf {
		return c.Conn.Read(b)
	}
	// ReadyForQuery ends the answer, and comes after the commit.
	var answer []byte
	for buf := make([]byte, 4096); len(answer) < 6 || answer[len(answer)-6] != 'Z'; {
		n, err := c.Conn.Read(buf)
		answer = append(answer, buf[:n]...)
		if err != nil {
			return 0, err
		}
	}
	_ = c.Close()
	return 0, errReset
}

// executes reports whether messages to the server have an Execute among them.
func executes(messages []byte) bool {
	for len(messages) >= 5 {
		size := int(binary.BigEndian.Uint32(messages[1:])) + 1
		if messages[0] == 'E' || size > len(messages) {
			return messages[0] == 'E'
		}
		messages = messages[size:]
	}
	return false
}
