package chaos

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	idem "github.com/idemgen/idemgen/runtime"
)

// state is a run as far as its callers can tell.
type state struct {
	status  idem.Status // empty without a row
	owner   idem.Owner  // zero if it is one whose claim nobody heard the end of
	attempt int         // the highest that was granted
	result  string
}

func (s state) heldBy(op Op) bool {
	return s.status == idem.StatusRunning && s.owner == op.Owner && s.attempt == op.Attempt
}

// leaseModel says what the store may answer about one key in the mode with
// leases. Time is left out: any lease may be over. A call of unknown outcome
// has done all that it was to do, or nothing. A claim whose answer is lost asks
// again; meanwhile it may have had the key, and its lease have ended: "claim
// before" is that.
var leaseModel = model(func(s state, op Op, a Answer) []state {
	switch op.Kind {
	case "claim", "claim before":
		return claimed(s, op, a)
	case "complete":
		return wrote(s, op, a, state{idem.StatusDone, op.Owner, op.Attempt, op.Result})
	case "release":
		if a.Kind == lost { // it may have been made, before others took the run
			a.Kind = unknown
		}
		return wrote(s, op, a, state{status: idem.StatusWaiting, attempt: op.Attempt})
	case "sweep":
		if s.status == idem.StatusRunning {
			return []state{s, {status: idem.StatusWaiting, attempt: s.attempt}}
		}
	case "purge":
		if s.status == idem.StatusDone {
			return []state{s, {}}
		}
	}
	return []state{s}
})

// claimed: no attempt is granted twice, none after the run is done; and a run
// that is done is told as done.
func claimed(s state, op Op, a Answer) []state {
	done := s.status == idem.StatusDone
	switch {
	case a.Kind == granted && !done && a.Attempt > s.attempt:
		return []state{{status: idem.StatusRunning, owner: op.Owner, attempt: a.Attempt}}
	case a.Kind == lost && !done: // it was granted an attempt that it was not told
		return []state{{status: idem.StatusRunning, owner: op.Owner, attempt: s.attempt + 1}}
	case a.Kind == replayed && done && a.Result == s.result,
		a.Kind == busy && !done && s.status != "",
		a.Kind == unknown && done:
		return []state{s}
	case a.Kind == unknown: // granted, and given back perhaps
		return []state{s, {status: idem.StatusRunning, attempt: s.attempt}, {status: idem.StatusWaiting, attempt: s.attempt}}
	}
	return nil
}

// wrote: only the holder writes, and the holder is not told that it is none.
func wrote(s state, op Op, a Answer, then state) []state {
	held := s.heldBy(op)
	switch {
	case a.Kind == ok && held:
		return []state{then}
	case a.Kind == lost && !held:
		return []state{s}
	case a.Kind == unknown || a.Kind == cancelled:
		if held {
			return []state{s, then}
		}
		return []state{s}
	}
	return nil
}

// txModel says the same of transactional mode, in which a claim is nothing
// before it is committed. A completion that is not made is known not to be.
var txModel = model(func(s state, op Op, a Answer) []state {
	done := state{status: idem.StatusDone, result: op.Result}
	undone := s.status == ""
	switch {
	case op.Kind == "sweep", op.Kind == "claim before", a.Kind == no:
		return []state{s}
	case op.Kind == "claim" && a.Kind == unknown,
		(a.Kind == granted || a.Kind == busy) && undone,
		a.Kind == replayed && !undone && a.Result == s.result:
		return []state{s}
	case op.Kind != "complete":
		return nil
	case a.Kind == ok && undone:
		return []state{done}
	case a.Kind == unknown || a.Kind == cancelled:
		if undone {
			return []state{s, done}
		}
		return []state{s}
	}
	return nil
})

func model(step func(state, Op, Answer) []state) porcupine.Model {
	nondeterministic := porcupine.NondeterministicModel{
		Init: func() []any { return []any{state{}} },
		Step: func(s, op, a any) (next []any) {
			for _, s := range step(s.(state), op.(Op), a.(Answer)) {
				next = append(next, s)
			}
			return next
		},
		DescribeOperation: func(op, a any) string { return describe(op.(Op), a.(Answer)) },
	}
	return nondeterministic.ToModel()
}

func describe(op Op, a Answer) string {
	who := ""
	if op.Kind != "sweep" && op.Kind != "purge" {
		who = fmt.Sprintf(" by %.8s", op.Owner)
	}
	if op.Attempt > 0 {
		who += fmt.Sprintf(", attempt %d", op.Attempt)
	}
	if op.Result != "" {
		who += ", of " + op.Result
	}
	text := op.Kind + who + ": " + a.Kind
	if a.Attempt > 0 {
		text += fmt.Sprintf(", attempt %d", a.Attempt)
	}
	return text + " " + a.Result
}
