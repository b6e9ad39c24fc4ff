package chaos

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// side is who sent a message.
type side byte

const (
	client side = iota
	server
)

// message is one message of Postgres' wire protocol.
type message struct {
	from side
	kind byte   // zero for the first of a client, which has no type
	sql  string // of a client's Parse, Bind or Query, and of what the server answers to it
	raw  []byte
}

// The kinds of messages that are told apart. Their letters depend on the side.
const (
	parseMsg, bindMsg, queryMsg, syncMsg, terminateMsg = 'P', 'B', 'Q', 'S', 'X' // of clients

	readyMsg = 'Z' // of servers
)

// cancels reports whether a client asks, on a connection of its own, for another's
// statement to be cancelled, as pgx does when that connection breaks.
func (m message) cancels() bool {
	const code = 80877102
	return m.from == client && m.kind == 0 && len(m.raw) == 16 && binary.BigEndian.Uint32(m.raw[4:]) == code
}

const maxMessage = 64 << 20

var errNoMessage = errors.New("no message of the wire protocol")

// readMessage reads one message. The first of a client has no type.
func readMessage(r *bufio.Reader, typed bool) (kind byte, raw []byte, err error) {
	head := 0
	if typed {
		head = 1
	}
	raw = make([]byte, head+4)
	if _, err := io.ReadFull(r, raw); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(raw[head:])
	if size < 4 || size > maxMessage {
		return 0, nil, errNoMessage
	}
	raw = append(raw, make([]byte, size-4)...)
	if _, err := io.ReadFull(r, raw[head+4:]); err != nil {
		return 0, nil, err
	}
	if typed {
		kind = raw[0]
	}
	return kind, raw, nil
}

// texts splits the first n zero-ended texts off a message.
func texts(raw []byte, n int) (parts []string, rest []byte) {
	rest = raw[5:]
	for range n {
		text, more, _ := bytes.Cut(rest, []byte{0})
		parts, rest = append(parts, string(text)), more
	}
	return parts, rest
}

// withTexts puts a message together again.
func withTexts(kind byte, parts []string, rest []byte) []byte {
	raw := []byte{kind, 0, 0, 0, 0}
	for _, part := range parts {
		raw = append(append(raw, part...), 0)
	}
	raw = append(raw, rest...)
	binary.BigEndian.PutUint32(raw[1:], uint32(len(raw)-1))
	return raw
}

// elements counts those of the array that is a Bind's first parameter: of keys,
// in which there are no commas.
func elements(raw []byte) int {
	_, rest := texts(raw, 2)
	short := func() (n uint16) {
		n, rest = binary.BigEndian.Uint16(rest), rest[2:]
		return n
	}
	binaryForm := false
	for i := range short() {
		if format := short(); i == 0 { // or the only one, for all
			binaryForm = format == 1
		}
	}
	if short() == 0 {
		return 0
	}
	value := rest[4:][:binary.BigEndian.Uint32(rest)]
	if binaryForm {
		return int(binary.BigEndian.Uint32(value[12:])) // behind dimensions, nulls and type
	}
	return 1 + bytes.Count(value, []byte(","))
}
