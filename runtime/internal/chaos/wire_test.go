package chaos

import (
	"bufio"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// move is what becomes of a message, and with it of its connection.
type move int

const (
	pass    move = iota
	before       // the connection breaks, and the message is not sent on
	torn         // half of it is
	after        // all of it is
	delayed      // the client's end breaks; the server gets the message later
)

// wire is a TCP proxy in front of a Postgres server, or of a pooler, that knows
// where messages begin and end.
type wire struct {
	network, address string // of the server
	listener         net.Listener

	mu      sync.Mutex
	script  func(message) move        // nil lets all pass
	rewrite func(sql string) string   // nil leaves statements as they are
	chosen  bool                      // what happens: clients cancel nothing
	spared  bool                      // cancels are
	seen    map[side]map[byte]int     // messages by kind
	many    int                       // statements that do many runs together
	rows    int                       // runs that those do
	links   map[*link]struct{}        // open connections
	late    map[*link]*delayedRequest // what was delayed
}

// delayedRequest is a client's request that the server has yet to get.
type delayedRequest struct {
	raw      []byte
	sent     atomic.Bool
	answered chan struct{} // closed when the server has answered, or gone
}

func newWire(t testing.TB, network, address string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{
		network: network, address: address, listener: listener,
		seen:  map[side]map[byte]int{client: {}, server: {}},
		links: map[*link]struct{}{}, late: map[*link]*delayedRequest{},
	}
	go w.serve()
	t.Cleanup(w.close)
	return w
}

func (w *wire) serve() {
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.connect(conn)
	}
}

func (w *wire) connect(conn net.Conn) {
	upstream, err := net.Dial(w.network, w.address)
	if err != nil {
		_ = conn.Close()
		return
	}
	l := &link{wire: w, client: conn, server: upstream, prepared: map[string]string{}}
	w.mu.Lock()
	w.links[l] = struct{}{}
	w.mu.Unlock()
	go l.pump(server, bufio.NewReader(upstream), conn)
	l.pump(client, bufio.NewReader(conn), upstream)
}

// play has a script decide about messages from now on.
func (w *wire) play(script func(message) move) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.script = script
}

// choose has nothing happen on connections but what the test has chosen.
func (w *wire) choose() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chosen = true
}

// spareCancels has the connections of cancel requests left alone. One that breaks makes
// pgbouncer before 1.21 give a client another one's answer.
func (w *wire) spareCancels(yes bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spared = yes
}

// edit has statements be as a func makes them, from now on.
func (w *wire) edit(rewrite func(sql string) string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rewrite = rewrite
}

func (w *wire) edited(sql string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rewrite == nil {
		return sql
	}
	return w.rewrite(sql)
}

// decide says what becomes of a message. A script may take its time: the
// connection waits meanwhile.
func (w *wire) decide(m message) move {
	w.mu.Lock()
	w.seen[m.from][m.kind]++
	if m.kind == bindMsg && m.from == client && strings.Contains(m.sql, "unnest(") {
		w.many++
		w.rows += elements(m.raw)
	}
	script, chosen, spared := w.script, w.chosen, w.spared
	w.mu.Unlock()
	switch {
	case chosen && m.cancels():
		return before
	case script == nil, spared && m.cancels():
		return pass
	}
	return script(m)
}

// kinds returns which messages of a side have been seen.
func (w *wire) kinds(from side) (kinds []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for kind := range w.seen[from] {
		kinds = append(kinds, kind)
	}
	return kinds
}

// together returns how many statements were for many runs at once, and for how
// many.
func (w *wire) together() (statements, rows int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.many, w.rows
}

// deliver sends what was delayed, and waits until the server has done it. It
// returns how many requests that were.
func (w *wire) deliver() int {
	w.mu.Lock()
	late := w.late
	w.late = map[*link]*delayedRequest{}
	w.mu.Unlock()
	for l, request := range late {
		request.sent.Store(true)
		if _, err := l.server.Write(request.raw); err == nil {
			<-request.answered
		}
		l.close()
	}
	return len(late)
}

// close ends the proxy and all its connections.
func (w *wire) close() {
	_ = w.listener.Close()
	w.mu.Lock()
	var links []*link
	for l := range w.links {
		links = append(links, l)
	}
	w.mu.Unlock()
	for _, l := range links {
		l.close()
	}
}
