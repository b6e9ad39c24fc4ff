package chaos

import (
	"context"
	"slices"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// fault is a mistake in the protocol, made on the way to the database, or around
// the store.
type fault struct {
	name      string
	statement string   // what statements have in them that it changes
	rewrite   []string // of these, old and new in turn
	wrap      func(idem.TxStore) idem.TxStore
	schedule  func(l *lab) // that shows it
	check     string       // that finds it
}

var faults = []fault{
	{
		name: "no fence",
		rewrite: []string{
			"status = 'running' AND owner = $2 AND attempts = $3", "$2::uuid IS NOT NULL AND $3::int IS NOT NULL",
			"run.status = 'running' AND run.owner = ended.owner AND run.attempts = ended.attempts", "true",
		},
		schedule: overtaken, check: checkBytes,
	},
	{
		name: "owner only",
		rewrite: []string{
			"owner = $2 AND attempts = $3", "owner = $2 AND $3::int IS NOT NULL",
			"run.owner = ended.owner AND run.attempts = ended.attempts", "run.owner = ended.owner",
		},
		schedule: grantedTwice, check: checkStuck,
	},
	{
		name: "attempt only",
		rewrite: []string{
			"owner = $2 AND attempts = $3", "$2::uuid IS NOT NULL AND attempts = $3",
			"run.owner = ended.owner AND run.attempts = ended.attempts", "run.attempts = ended.attempts",
		},
		schedule: purged, check: checkHistory,
	},
	{
		name:      "sweep by key alone",
		statement: sweepWrites,
		rewrite:   []string{" AND status = 'running' AND due <= " + stillClock, ""},
		schedule:  completedWhileSwept, check: checkAcknowledged,
	},
	{
		name:     "completion not detached",
		wrap:     func(s idem.TxStore) idem.TxStore { return attached{s} },
		schedule: cancelledAtTheEnd, check: checkCancelled,
	},
}

const sweepWrites = "SET status = 'waiting', attempts = attempts + 1, owner = NULL, due"

// Each fault is found, by the check that is for it; and the same schedule without
// the fault leaves nothing to find.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			l := newLab(t, fault{})
			f.schedule(l)
			for _, found := range l.findings() {
				t.Errorf("without the fault: %v", found)
			}
			l = newLab(t, f)
			f.schedule(l)
			if f.wrap == nil && l.changed.Load() == 0 {
				t.Error("no statement is as the fault changes it")
			}
			found := l.findings()
			if !slices.ContainsFunc(found, func(found finding) bool { return found.check == f.check }) {
				t.Errorf("not found; only %v", found)
			}
			for _, found := range found {
				t.Log(found)
			}
		})
	}
}

// overtaken: a worker stands still beyond its lease, another does its work, and
// the first goes on.
func overtaken(l *lab) {
	key := l.publish()
	first := l.deliverSlowly(key)
	l.advance(lease)
	l.deliver(l.worker(l), Delivery{Key: key})
	first.finish()
}

// purged: the same, but the run is purged, and claimed anew, before the first
// goes on.
func purged(l *lab) {
	key := l.publish()
	first := l.deliverSlowly(key)
	l.advance(lease)
	l.deliver(l.worker(l), Delivery{Key: key})
	l.advance(lease)
	number := l.begin(key, Op{Kind: "purge"})
	n, err := l.db.store.Purge(context.Background(), spec.Handler, lease/2, 10)
	if n != 1 || err != nil {
		l.t.Fatalf("%d runs purged, error %v", n, err)
	}
	l.end(number, Answer{Kind: ok})
	l.broker.forget(key)
	third := l.deliverSlowly(key)
	first.finish()
	third.finish()
}

// completedWhileSwept: a sweep has found a run whose lease is over, and before it
// writes the run is finished.
func completedWhileSwept(l *lab) {
	key := l.publish()
	first := l.deliverSlowly(key)
	l.advance(lease)
	done := make(chan struct{})
	l.wire.play(func(m message) move {
		if m.from == client && m.kind == bindMsg && strings.Contains(m.sql, sweepWrites) {
			first.finish()
			close(done)
		}
		return pass
	})
	l.sweep(l.open())
	<-done
}

// cancelledAtTheEnd: the delivery is cancelled as its handler returns.
func cancelledAtTheEnd(l *lab) {
	l.deliver(l.worker(l), Delivery{Key: l.publish(), Cancel: true})
	l.advance(lease)
}

// attached is a store whose completions end with the caller, as they do in a
// wrapper that does not detach them.
type attached struct{ idem.TxStore }

func (a attached) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	if caller, ok := ctx.Value(callerKey{}).(context.Context); ok {
		ctx = caller
	}
	return a.TxStore.Complete(ctx, token, outcome)
}

// grantedTwice: the answer to a claim is lost. The claim asks again, and finds
// that it has the key, but that some of its lease is over; its request for a new
// one is delayed. Meanwhile the lease ends, and the run is swept, so that the
// claim gets the key once more, as another attempt. Its worker dies. When that
// lease is over too, the request arrives, which is of the attempt before.
func grantedTwice(l *lab) {
	key := l.publish()
	lostAnswer := false
	l.wire.play(func(m message) move {
		switch {
		case m.from == server && m.kind == readyMsg && strings.HasPrefix(m.sql, "INSERT") && !lostAnswer && l.held(key):
			lostAnswer = true
			l.advance(lease / 2)
			return before
		case m.from == client && m.kind == bindMsg && strings.Contains(m.sql, "SET due") && lostAnswer:
			l.wire.play(nil)
			l.advance(lease)
			l.sweep(l.db.store)
			return delayed
		}
		return pass
	})
	w := l.worker(l)
	run, err := idem.Claim[receipt](context.Background(), w.store, spec, key)
	if err != nil || run == nil {
		l.t.Fatalf("claim: %v", err)
	}
	l.advance(lease)
	if late := l.wire.deliver(); late != 1 {
		l.t.Errorf("%d requests were delayed", late)
	}
}

// held reports whether a run is running.
func (l *lab) held(key idem.Key) bool {
	rec, err := l.db.store.Lookup(context.Background(), key)
	return err == nil && rec.Status == idem.StatusRunning
}
