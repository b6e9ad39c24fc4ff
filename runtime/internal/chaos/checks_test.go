package chaos

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"

	idem "github.com/idemgen/idemgen/runtime"
)

// finding is something that must not be.
type finding struct {
	check string
	key   idem.Key
	text  string
}

func (f finding) String() string { return fmt.Sprintf("%s: %s: %s", f.check, f.key, f.text) }

// The checks.
const (
	checkStuck        = "a key is stuck after lease and sweep"
	checkBytes        = "two deliveries got different bytes"
	checkAcknowledged = "an acknowledged run is lost"
	checkEffects      = "effects are not the keys"
	checkHistory      = "the history of a key is not one of the protocol"
	checkUndecided    = "the history of a key could not be decided"
	checkCancelled    = "a finished result was lost with its caller"
)

// decideWithin bounds the search for an order of one key's calls, which takes
// milliseconds as a rule, and can take for ever.
var decideWithin = time.Minute

// evidence is what there is to check.
type evidence struct {
	near
	db     *database
	worker worker // that delivers everything once more
}

// settle looks at what the nemesis has left, sweeps, and delivers every key
// again. Nobody else is at work, and no lease is in force.
func (e *evidence) settle() (findings []finding) {
	findings = append(findings, e.standing()...)
	findings = append(findings, e.swept()...)
	findings = append(findings, e.redelivered()...)
	findings = append(findings, e.done()...)
	findings = append(findings, e.worked()...)
	findings = append(findings, e.told()...)
	findings = append(findings, e.broker.findings...)
	return findings
}

// standing: what was acknowledged is there, before anybody delivers it again.
func (e *evidence) standing() (findings []finding) {
	for key, result := range e.broker.acked {
		rec, err := e.db.store.Lookup(context.Background(), key)
		if err != nil || rec.Status != idem.StatusDone || string(rec.Result) != result {
			findings = append(findings, finding{checkAcknowledged, key, fmt.Sprintf("%s, %s, error %v; acknowledged with %s", rec.Status, rec.Result, err, result)})
		}
	}
	return findings
}

// swept: a sweep reaches every run that is not finished.
func (e *evidence) swept() (findings []finding) {
	for {
		n, err := e.history.sweep(func() (int, error) { return e.db.store.Sweep(context.Background(), 10_000) })
		if err != nil {
			return []finding{{checkStuck, "", "sweep: " + err.Error()}}
		}
		if n == 0 {
			break
		}
	}
	if n, err := e.db.running(); err != nil || n > 0 {
		findings = append(findings, finding{checkStuck, "", fmt.Sprintf("%d runs are running still, error %v", n, err)})
	}
	return findings
}

// redelivered: each key is done at once by whoever delivers it next, and
// answered with the same after that. One after the other, so that nobody has to
// come back for SQLite's one lock.
func (e *evidence) redelivered() (findings []finding) {
	for _, key := range e.broker.keys {
		for n := range 2 {
			r := e.worker.receipt(context.Background(), Delivery{Number: -1, Key: key, Redelivered: n > 0})
			if r.Error != "" {
				findings = append(findings, finding{checkStuck, key, r.Error})
				break
			}
			e.settled(r)
		}
	}
	return findings
}

// done: the rows say what everybody was told.
func (e *evidence) done() (findings []finding) {
	for _, key := range e.broker.keys {
		rec, err := e.db.store.Lookup(context.Background(), key)
		if err != nil || rec.Status != idem.StatusDone || string(rec.Result) != e.broker.acked[key] {
			findings = append(findings, finding{checkBytes, key, fmt.Sprintf("%s, %s, error %v; answered with %s", rec.Status, rec.Result, err, e.broker.acked[key])})
		}
	}
	return findings
}

// worked: there is one effect for each key, and in transactional mode one row of
// the work.
func (e *evidence) worked() (findings []finding) {
	if len(e.provider.effects) != len(e.broker.keys) {
		findings = append(findings, finding{checkEffects, "", fmt.Sprintf("%d effects of %d keys", len(e.provider.effects), len(e.broker.keys))})
	}
	for _, key := range e.broker.keys {
		if e.provider.effects[key] == nil {
			findings = append(findings, finding{checkEffects, key, "no effect"})
		}
	}
	if !e.worker.setup.Tx {
		return findings
	}
	rows, err := e.db.number("SELECT count(*) FROM work")
	distinct, distinctErr := e.db.number("SELECT count(DISTINCT event) FROM work")
	if err = errors.Join(err, distinctErr); err != nil || rows != int64(len(e.broker.keys)) || distinct != rows {
		findings = append(findings, finding{checkEffects, "", fmt.Sprintf("%d rows of the work, %d distinct, of %d keys, error %v", rows, distinct, len(e.broker.keys), err)})
	}
	return findings
}

// told: what the store has answered about each key is what a run in the protocol
// can have answered; and no completion ended with its caller.
func (e *evidence) told() (findings []finding) {
	m := leaseModel
	if e.worker.setup.Tx {
		m = txModel
	}
	for _, key := range e.broker.keys {
		ops := e.history.of(key)
		switch porcupine.CheckOperationsTimeout(m, ops, decideWithin) {
		case porcupine.Illegal:
			findings = append(findings, finding{checkHistory, key, story(ops)})
		case porcupine.Unknown:
			findings = append(findings, finding{checkUndecided, key, story(ops)})
		}
		for _, op := range ops {
			if op.Output.(Answer).Kind == cancelled {
				findings = append(findings, finding{checkCancelled, key, describe(op.Input.(Op), op.Output.(Answer))})
			}
		}
	}
	return findings
}

func story(ops []porcupine.Operation) (text string) {
	for _, op := range ops {
		end := "…"
		if op.Return != never {
			end = fmt.Sprint(op.Return / 1000)
		}
		text += fmt.Sprintf("\n\t%d to %s: %s", op.Call/1000, end, describe(op.Input.(Op), op.Output.(Answer)))
	}
	return text
}
