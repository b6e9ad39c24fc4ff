package chaos

import (
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	idem "github.com/idemgen/idemgen/runtime"
)

// Op is a call of a store that concerns one key.
type Op struct {
	Kind    string // claim, complete, release, sweep, purge
	Owner   idem.Owner
	Attempt int
	Result  string // that a completion stores
}

// Answer is how a call ended.
type Answer struct {
	Kind    string // see below
	Attempt int    // that was granted
	Result  string // that is replayed
}

// The kinds of answers.
const (
	granted   = "granted"   // a claim got the key
	replayed  = "replayed"  // a claim found the run done
	busy      = "busy"      // a claim found it held, or waiting
	ok        = "ok"        // a write was made
	lost      = "lost"      // a write was fenced off
	no        = "no"        // nothing was done, and nothing will be
	unknown   = "unknown"   // it may have been done, or be done yet
	cancelled = "cancelled" // unknown, and because the caller's context ended
)

// history is what was asked of the store about each key, and what it answered.
// All times are of one clock, this process's: a call is noted before its
// statement is sent, a return after it was answered.
type history struct {
	start time.Time
	lossy bool // answers are lost, and clients ask again

	mu     sync.Mutex
	ops    map[idem.Key][]int // places in all
	all    []porcupine.Operation
	sweeps []porcupine.Operation // of all keys
}

// never is when a call returns that nobody has heard the end of.
const never = int64(1) << 62

func newHistory() *history {
	return &history{start: time.Now(), ops: map[idem.Key][]int{}}
}

func (h *history) now() int64 { return time.Since(h.start).Nanoseconds() }

// begin notes a call and returns its number.
func (h *history) begin(key idem.Key, op Op) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, porcupine.Operation{Input: op, Call: h.now(), Output: Answer{Kind: unknown}, Return: never})
	h.ops[key] = append(h.ops[key], len(h.all)-1)
	return len(h.all) - 1
}

// end notes the answer to a call. One of unknown outcome never returns: it may
// take effect at any later time.
func (h *history) end(number int, a Answer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[number].Output = a
	if a.Kind != unknown && a.Kind != cancelled {
		h.all[number].Return = h.now()
	}
}

// sweep runs a sweep, which may concern any key.
func (h *history) sweep(sweep func() (int, error)) (int, error) {
	op := porcupine.Operation{Input: Op{Kind: "sweep"}, Call: h.now(), Output: Answer{Kind: unknown}, Return: never}
	n, err := sweep()
	if err == nil {
		op.Return = h.now()
	}
	if n > 0 || err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.sweeps = append(h.sweeps, op)
	}
	return n, err
}

// of returns the history of one key, with the sweeps that may have met it.
func (h *history) of(key idem.Key) []porcupine.Operation {
	h.mu.Lock()
	defer h.mu.Unlock()
	var ops []porcupine.Operation
	last := int64(0)
	for client, number := range h.ops[key] {
		op := h.all[number]
		op.ClientId = client
		ops = append(ops, op)
		if op.Return != never {
			last = max(last, op.Return)
		}
		if h.lossy && op.Input.(Op).Kind == "claim" {
			op.Input, op.Output = Op{Kind: "claim before"}, Answer{Kind: unknown}
			ops = append(ops, op)
		}
	}
	for _, sweep := range h.sweeps {
		if len(ops) > 0 && sweep.Return >= ops[0].Call && sweep.Call <= last {
			sweep.ClientId = len(ops)
			ops = append(ops, sweep)
		}
	}
	return ops
}
