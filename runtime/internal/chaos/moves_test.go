package chaos

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/internal/poll"
)

// moved is what becomes of a statement at one of whose messages the proxy does
// something.
type moved struct {
	from side
	kind byte
	move move
	done bool // whether it is, though its client hears nothing
}

// What the proxy does to a statement, as the client and the database see it.
func TestMoves(t *testing.T) {
	db := newPostgres(t)
	w := newWire(t, "unix", filepath.Join(theServer(t).Dir, ".s.PGSQL.5432"))
	w.choose()
	for _, tt := range []moved{
		{client, parseMsg, before, false},
		{client, bindMsg, torn, false},
		{client, syncMsg, before, false},
		{client, syncMsg, after, true},
		{server, readyMsg, before, true},
		{server, 'C', torn, true},
		{client, bindMsg, delayed, false},
	} {
		t.Run(fmt.Sprintf("%d %c %d", tt.from, tt.kind, tt.move), func(t *testing.T) { tt.check(t, db, w) })
	}
}

func (m moved) check(t *testing.T, db *database, w *wire) {
	rows := func() int64 {
		n, err := db.number("SELECT count(*) FROM work")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	had := rows()
	if err := insertThrough(t, w, db.name, nil); err != nil || rows() != had+1 {
		t.Fatalf("undisturbed: %d rows more, error %v", rows()-had, err)
	}
	err := insertThrough(t, w, db.name, func(each message) move {
		if each.from == m.from && each.kind == m.kind && strings.HasPrefix(each.sql, "INSERT") {
			return m.move
		}
		return pass
	})
	if err == nil {
		t.Error("the client has noticed nothing")
	}
	if m.done {
		poll.Until(t, "it done", func() bool { return rows() == had+2 })
	}
	if m.move != delayed { // for the rest of which the server waits
		settled(t, db)
	}
	if done := rows() == had+2; done != m.done {
		t.Errorf("done %t; want %t", done, m.done)
	}
	late := w.deliver()
	if n := rows() - had - 1; (n == 1) != (m.done || m.move == delayed) {
		t.Errorf("%d rows in the end, after %d delayed requests", n, late)
	}
}

// insertThrough inserts a row by way of a proxy that plays a script.
func insertThrough(t *testing.T, w *wire, database string, script func(message) move) error {
	t.Helper()
	ctx := context.Background()
	url := fmt.Sprintf("postgres://idemtest@%s/%s?sslmode=disable&default_query_exec_mode=exec", w.listener.Addr(), database)
	w.play(nil)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	w.play(script)
	defer w.play(nil)
	_, err = conn.Exec(ctx, "INSERT INTO work VALUES ($1)", "it")
	return err
}

// settled waits until the server has nothing under way.
func settled(t *testing.T, db *database) {
	t.Helper()
	poll.Until(t, "the server idle", func() bool {
		n, err := db.number(db.idle)
		return err == nil && n == 0
	})
}

func TestRewrite(t *testing.T) {
	db := newPostgres(t)
	w := newWire(t, "unix", filepath.Join(theServer(t).Dir, ".s.PGSQL.5432"))
	w.edit(func(sql string) string { return strings.Replace(sql, "VALUES ($1)", "VALUES ($1 || ' longer')", 1) })
	if err := insertThrough(t, w, db.name, nil); err != nil {
		t.Fatal(err)
	}
	if n, err := db.number("SELECT count(*) FROM work WHERE event = 'it longer'"); n != 1 || err != nil {
		t.Errorf("%d rows, error %v", n, err)
	}
}

// What would have pgbouncer mix up its clients is left alone.
func TestSparedCancels(t *testing.T) {
	cancel := message{from: client, raw: []byte{0, 0, 0, 16, 4, 0xd2, 0x16, 0x2e, 0, 0, 0, 1, 0, 0, 0, 2}}
	w := &wire{seen: map[side]map[byte]int{client: {}}, script: func(message) move { return torn }}
	for _, tt := range []struct {
		spared bool
		want   move
	}{{false, torn}, {true, pass}} {
		w.spareCancels(tt.spared)
		if got := w.decide(cancel); got != tt.want {
			t.Errorf("spared: %t: %v; want %v", tt.spared, got, tt.want)
		}
	}
}
