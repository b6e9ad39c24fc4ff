package chaos

import (
	"testing"

	"github.com/anishathalye/porcupine"

	idem "github.com/idemgen/idemgen/runtime"
)

var a, b = idem.Owner{1}, idem.Owner{2}

// said is one call and its answer.
type said struct {
	op     Op
	answer Answer
}

func claims(o idem.Owner, kind string, attempt int) said {
	return said{Op{Kind: "claim", Owner: o}, Answer{Kind: kind, Attempt: attempt}}
}

func replays(result string) said {
	return said{Op{Kind: "claim"}, Answer{Kind: replayed, Result: result}}
}

func completes(o idem.Owner, attempt int, result, kind string) said {
	return said{Op{"complete", o, attempt, result}, Answer{Kind: kind}}
}

func releases(o idem.Owner, attempt int, kind string) said {
	return said{Op{Kind: "release", Owner: o, Attempt: attempt}, Answer{Kind: kind}}
}

var (
	sweeps = said{Op{Kind: "sweep"}, Answer{Kind: unknown}}
	purges = said{Op{Kind: "purge"}, Answer{Kind: ok}}
)

// inTurn is a history in which each call follows the one before. One of unknown
// outcome may take effect whenever it will.
func inTurn(calls []said) (ops []porcupine.Operation) {
	for i, s := range calls {
		op := porcupine.Operation{ClientId: i, Input: s.op, Output: s.answer, Call: int64(2 * i), Return: int64(2*i + 1)}
		if s.answer.Kind == unknown && s.op.Kind != "sweep" {
			op.Return = never
		}
		ops = append(ops, op)
	}
	return ops
}

// What the models take for a history of the protocol, and what not.
func TestModels(t *testing.T) {
	for _, tt := range []struct {
		name  string
		model porcupine.Model
		legal bool
		calls []said
	}{
		{"a run", leaseModel, true, []said{claims(a, granted, 1), claims(b, busy, 0), completes(a, 1, "r", ok), replays("r")}},
		{"taken over", leaseModel, true, []said{claims(a, granted, 1), claims(b, granted, 2), completes(a, 1, "r", lost), completes(b, 2, "s", ok), replays("s")}},
		{"released", leaseModel, true, []said{claims(a, granted, 1), releases(a, 1, ok), claims(b, busy, 0), claims(b, granted, 2)}},
		{"swept", leaseModel, true, []said{claims(a, granted, 1), sweeps, completes(a, 1, "r", lost)}},
		{"a claim that nobody heard of", leaseModel, true, []said{claims(a, unknown, 0), claims(b, busy, 0), claims(b, granted, 2)}},
		{"a completion that nobody heard of", leaseModel, true, []said{claims(a, granted, 1), completes(a, 1, "r", unknown), claims(b, busy, 0), replays("r")}},
		{"a completion that nobody heard of, and that never was", leaseModel, true, []said{claims(a, granted, 1), completes(a, 1, "r", unknown), claims(b, granted, 2)}},
		{"lost while it was claimed", leaseModel, true, []said{claims(a, lost, 0), claims(b, granted, 2), completes(b, 2, "s", ok), replays("s")}},
		{"lost, and granted once more", leaseModel, false, []said{claims(a, lost, 0), claims(b, granted, 1)}},
		{"lost after it was done", leaseModel, false, []said{claims(a, granted, 1), completes(a, 1, "r", ok), claims(b, lost, 0)}},
		{"purged", leaseModel, true, []said{claims(a, granted, 1), completes(a, 1, "r", ok), purges, claims(b, granted, 1)}},
		{"two holders of an attempt", leaseModel, false, []said{claims(a, granted, 1), claims(b, granted, 1)}},
		{"completed by who was overtaken", leaseModel, false, []said{claims(a, granted, 1), claims(b, granted, 2), completes(a, 1, "r", ok)}},
		{"completed under another's attempt", leaseModel, false, []said{claims(a, granted, 1), completes(b, 1, "r", ok)}},
		{"completed twice", leaseModel, false, []said{claims(a, granted, 1), completes(a, 1, "r", ok), completes(a, 1, "s", ok)}},
		{"the wrong bytes", leaseModel, false, []said{claims(a, granted, 1), completes(a, 1, "r", ok), replays("s")}},
		{"claimed after it was done", leaseModel, false, []said{claims(a, granted, 1), completes(a, 1, "r", ok), claims(b, granted, 2)}},
		{"in progress after it was done", leaseModel, false, []said{claims(a, granted, 1), completes(a, 1, "r", ok), claims(b, busy, 0)}},
		{"in progress before anybody claimed it", leaseModel, false, []said{claims(a, busy, 0), claims(b, granted, 1)}},
		{"a holder is told that it is none", leaseModel, false, []said{claims(a, granted, 1), completes(a, 1, "r", lost)}},
		{"done without a completion", leaseModel, false, []said{claims(a, granted, 1), replays("r")}},
		{"released, and completed", leaseModel, false, []said{claims(a, granted, 1), releases(a, 1, ok), completes(a, 1, "r", ok)}},
		{"a transaction", txModel, true, []said{claims(a, granted, 1), claims(b, busy, 0), completes(a, 1, "r", ok), replays("r")}},
		{"one that left nothing", txModel, true, []said{claims(a, granted, 1), completes(a, 1, "r", no), claims(b, granted, 1), completes(b, 1, "s", ok)}},
		{"a commit that nobody heard of", txModel, true, []said{claims(a, granted, 1), completes(a, 1, "r", unknown), claims(b, busy, 0), replays("r")}},
		{"two that are committed", txModel, false, []said{claims(a, granted, 1), claims(b, granted, 1), completes(a, 1, "r", ok), completes(b, 1, "s", ok)}},
		{"told as not committed, and committed", txModel, false, []said{claims(a, granted, 1), completes(a, 1, "r", no), replays("r")}},
		{"granted after the commit", txModel, false, []said{claims(a, granted, 1), completes(a, 1, "r", ok), claims(b, granted, 1)}},
	} {
		if got := porcupine.CheckOperations(tt.model, inTurn(tt.calls)); got != tt.legal {
			t.Errorf("%s: legal %t; want %t", tt.name, got, tt.legal)
		}
	}
}

// A claim whose first answer was lost may have had the key before it finds the
// run done.
func TestAskedBefore(t *testing.T) {
	for _, lossy := range []bool{false, true} {
		h := newHistory()
		h.lossy = lossy
		asks := h.begin("k", Op{Kind: "claim", Owner: a})
		h.end(h.begin("k", Op{Kind: "claim", Owner: b}), Answer{Kind: busy})
		h.end(h.begin("k", Op{Kind: "claim", Owner: b}), Answer{Kind: granted, Attempt: 2})
		h.end(h.begin("k", Op{"complete", b, 2, "r"}), Answer{Kind: ok})
		h.end(asks, Answer{Kind: replayed, Result: "r"})
		if got := porcupine.CheckOperations(leaseModel, h.of("k")); got != lossy {
			t.Errorf("with answers lost %t: legal %t", lossy, got)
		}
	}
}
