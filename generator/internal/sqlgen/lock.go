package sqlgen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

const lockHeader = `# The migrations that idemgen has written, in order: what for, the file's
# hash, a hash of the line and all lines above it, the file. They are frozen.
# Keep this file under version control; idemgen generate adds to its end.
`

const (
	notOurs     = "this is not a line that idemgen wrote"
	restoreLock = "put it back with git checkout " + LockName
)

// entry is a line of the lock: one file of a migration.
type entry struct {
	need
	sum   string // SHA-256 of the file, its line ends read as LF
	chain string
	path  string
	line  int // in the lock; 0 if it is new
	piece piece
}

func (e entry) pos() spec.Pos { return spec.Pos{File: LockName, Line: max(1, e.line), Col: 1} }

// lock is the parsed idemgen.lock.
type lock struct {
	entries []entry
	old     []byte // as it is on disk; nil if it is missing
	added   int    // entries at the end that are new
}

// chained hashes a line together with the hash of all lines before it. It is
// short: it shows a slip of the hand or of a merge, not an attack.
func (e entry) chained(before string) string {
	sum := sha256.Sum256([]byte(before + "\n" + e.need.String() + " " + e.sum + " " + e.path))
	return hex.EncodeToString(sum[:8])
}

func (e entry) String() string {
	return fmt.Sprintf("%s sha256:%s chain:%s %s", e.need, e.sum, e.chain, e.path)
}

// add puts a file at the end of the lock.
func (l *lock) add(n need, p piece, path string, data []byte) {
	e := entry{need: n, sum: hash(data), path: path, piece: p}
	before := ""
	if len(l.entries) > 0 {
		before = l.entries[len(l.entries)-1].chain
	}
	e.chain = e.chained(before)
	l.entries = append(l.entries, e)
	l.added++
}

// text returns the lock's file: what is on disk, and the new lines.
func (l *lock) text() []byte {
	if l.added == 0 {
		return l.old
	}
	b := bytes.NewBuffer(toLF(l.old))
	switch {
	case b.Len() == 0:
		b.WriteString(lockHeader)
	case !bytes.HasSuffix(b.Bytes(), []byte("\n")):
		b.WriteByte('\n')
	}
	for _, e := range l.entries[len(l.entries)-l.added:] {
		fmt.Fprintln(b, e)
	}
	return b.Bytes()
}

// has reports whether a file is locked.
func (l *lock) has(path string) bool {
	for _, e := range l.entries {
		if e.path == path {
			return true
		}
	}
	return false
}

// of returns the entries of a need.
func (l *lock) of(n need) []entry {
	var found []entry
	for _, e := range l.entries {
		if e.need == n {
			found = append(found, e)
		}
	}
	return found
}

// up returns the files of a need that are applied, in their order.
func (l *lock) up(n need) []string {
	var paths []string
	for _, e := range l.of(n) {
		if e.piece.up {
			paths = append(paths, e.path)
		}
	}
	return paths
}

var lockLine = regexp.MustCompile(`^(\S+) (\S+) (\S+) sha256:([0-9a-f]{64}) chain:([0-9a-f]{16}) (\S.*)$`)

// parseLock reads the lock's text; nil is a lock that is not there.
func parseLock(text []byte) (*lock, spec.Errors) {
	l := &lock{old: text}
	var errs spec.Errors
	before := ""
	for i, line := range strings.Split(string(toLF(text)), "\n") {
		at := spec.Pos{File: LockName, Line: i + 1, Col: 1}
		if spec.IsConflictMarker(line) {
			return nil, spec.Errors{{Pos: at, Msg: "a merge conflict is not resolved",
				Cure: "keep the lines of one side, remove those of the other and the markers, and run idemgen generate"}}
		}
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		e, msg := parseEntry(line, before)
		e.line = i + 1
		if msg == "" && l.has(e.path) {
			msg = e.path + " is locked twice"
		}
		if msg != "" {
			errs.Add(at, msg, restoreLock)
		}
		if e.chain != "" { // so that one wrong line is one error
			before = e.chain
			l.entries = append(l.entries, e)
		}
	}
	return l, errs
}

// parseEntry reads a line, and returns what is wrong with it.
func parseEntry(line, before string) (entry, string) {
	f := lockLine.FindStringSubmatch(line)
	if f == nil {
		return entry{}, notOurs
	}
	e := entry{
		need:  need{dialect: spec.Dialect(f[1]), name: f[2], table: f[3]},
		sum:   f[4],
		chain: f[5],
		path:  f[6],
	}
	if !fs.ValidPath(e.path) {
		return e, notOurs
	}
	if e.chain != e.chained(before) {
		return e, "this line was edited, or a line before it was edited, removed or moved"
	}
	return e, ""
}

func hash(data []byte) string {
	sum := sha256.Sum256(toLF(data))
	return hex.EncodeToString(sum[:])
}

func toLF(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }
