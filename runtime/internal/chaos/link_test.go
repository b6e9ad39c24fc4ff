package chaos

import (
	"bufio"
	"net"
	"sync"
)

// link is a connection through the proxy.
type link struct {
	wire           *wire
	client, server net.Conn

	mu       sync.Mutex
	prepared map[string]string // SQL by the statement's name
	sql      string            // that the client asked for last
	request  *delayedRequest
}

// pump sends messages of one side on to the other until one of them ends, or a
// move says so.
func (l *link) pump(from side, in *bufio.Reader, out net.Conn) {
	defer l.ended(from)
	w := bufio.NewWriter(out)
	for typed := from == server; ; typed = true {
		m, err := l.read(from, in, typed)
		if err != nil {
			_ = w.Flush()
			return
		}
		if request := l.delayed(); request != nil {
			if from == client || m.kind == readyMsg && request.sent.Load() {
				return
			}
			continue // nobody is there to hear it
		}
		decision := l.wire.decide(m)
		switch decision {
		case before:
		case torn:
			_, _ = w.Write(m.raw[:len(m.raw)/2])
		case delayed:
			_ = w.Flush()
			l.delay(m, in)
			return
		default:
			_, _ = w.Write(m.raw)
		}
		if decision == pass && in.Buffered() > 0 {
			continue
		}
		if failed := w.Flush() != nil; decision != pass || failed && l.delayed() == nil {
			return
		}
	}
}

// read reads a message, and knows which statement it is about.
func (l *link) read(from side, in *bufio.Reader, typed bool) (message, error) {
	kind, raw, err := readMessage(in, typed)
	if err != nil {
		return message{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if from == client {
		raw = l.asked(kind, raw)
	}
	return message{from: from, kind: kind, sql: l.sql, raw: raw}, nil
}

// asked keeps the SQL that a client's message brings or names.
func (l *link) asked(kind byte, raw []byte) []byte {
	switch kind {
	case parseMsg:
		parts, rest := texts(raw, 2)
		parts[1] = l.wire.edited(parts[1])
		l.prepared[parts[0]], l.sql = parts[1], parts[1]
		return withTexts(kind, parts, rest)
	case bindMsg:
		parts, _ := texts(raw, 2)
		l.sql = l.prepared[parts[1]]
	case queryMsg:
		parts, rest := texts(raw, 1)
		parts[0] = l.wire.edited(parts[0])
		l.sql = parts[0]
		return withTexts(kind, parts, rest)
	}
	return raw
}

// delay keeps a message, and the rest of its request, for later. The client sees
// its connection break.
func (l *link) delay(m message, in *bufio.Reader) {
	held := m.raw
	for m.kind != syncMsg && m.kind != queryMsg && m.kind != terminateMsg {
		var err error
		if m, err = l.read(client, in, true); err != nil {
			break
		}
		held = append(held, m.raw...)
	}
	request := &delayedRequest{raw: held, answered: make(chan struct{})}
	l.mu.Lock()
	l.request = request
	l.mu.Unlock()
	l.wire.mu.Lock()
	l.wire.late[l] = request
	l.wire.mu.Unlock()
	_ = l.client.Close()
}

// delayed returns the request that the server has yet to get, if there is one.
func (l *link) delayed() *delayedRequest {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.request
}

// ended closes what a pump leaves behind.
func (l *link) ended(from side) {
	if request := l.delayed(); request == nil {
		l.close()
	} else if from == server {
		close(request.answered)
	}
}

// close ends both connections.
func (l *link) close() {
	l.wire.mu.Lock()
	delete(l.wire.links, l)
	l.wire.mu.Unlock()
	if tcp, ok := l.client.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // as a reset
	}
	_ = l.client.Close()
	_ = l.server.Close()
}
