package idemtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// orderScenarios are those of an ordered handler, whose deliveries are versions of
// one entity.
func (s Suite[R]) orderScenarios() []scenario[R] {
	if !s.Spec.Ordered {
		return nil
	}
	list := []scenario[R]{
		{"older", (*trial[R]).older},
		{"entity_held", (*trial[R]).entityHeld},
		{"shuffled", (*trial[R]).shuffled},
	}
	if s.Transactional {
		return append(list, scenario[R]{"entity_crash", (*trial[R]).entityTxCrash})
	}
	return append(list, scenario[R]{"entity_crash", (*trial[R]).entityCrash}, scenario[R]{"entity_zombie", (*trial[R]).entityZombie})
}

// older: what is older than the newest that was applied is not run, and never will
// be.
func (w *trial[R]) older(t testing.TB) {
	t.Helper()
	var newer effects
	got, err := w.deliver(2, w.work(&newer))
	wantResult(t, "the newer version", got, err, 1)
	w.wantStale(t, "the older version, which comes behind it", 1)
	w.wantStale(t, "the older version again", 1)
	got, err = w.deliver(2, w.work(&newer))
	wantResult(t, "a duplicate of the newer version", got, err, 1)
	newer.want(t, 1, w.key(t, 2))
	var newest effects
	got, err = w.deliver(3, w.work(&newest))
	wantResult(t, "a version that is newer still", got, err, 1)
	newest.want(t, 1, w.key(t, 3))
	w.wantStates(t, map[idem.Status]int{idem.StatusDone: 2, idem.StatusStale: 1})
}

// entityHeld: while a version runs, no other of its entity does.
func (w *trial[R]) entityHeld(t testing.TB) {
	t.Helper()
	var first, second effects
	got, err := w.deliver(1, func(ctx context.Context) (R, error) {
		_, err := w.deliver(2, w.work(&second))
		w.wantInProgress(t, "another version while the handler runs", err)
		return w.work(&first)(ctx)
	})
	wantResult(t, "the version that was first", got, err, 1)
	first.want(t, 1, w.key(t, 1))
	second.want(t, 0, w.key(t, 2))
	got, err = w.deliver(2, w.work(&second))
	wantResult(t, "the other version, delivered again", got, err, 1)
	second.want(t, 1, w.key(t, 2))
	w.wantStates(t, map[idem.Status]int{idem.StatusDone: 2})
}

// entityCrash: the worker dies, and with it goes the entity when its lease is over.
func (w *trial[R]) entityCrash(t testing.TB) {
	t.Helper()
	var e, newer effects
	w.crashed(t, 1, w.work(&e))
	_, err := w.deliver(2, w.work(&newer))
	w.wantInProgress(t, "another version before the lease is over", err)
	w.db.Advance(w.Spec.Lease)
	got, err := w.deliver(2, w.work(&newer))
	wantResult(t, "another version after the lease", got, err, 1)
	newer.want(t, 1, w.key(t, 2))
	if w.lastAttempt() {
		_, err := w.deliver(1, w.work(&e))
		w.wantDead(t, err)
	} else {
		w.wantStale(t, "the version whose worker died", 1)
	}
	e.want(t, 1, w.key(t, 1))
}

// entityTxCrash: the worker dies before its commit, and its version was never there.
func (w *trial[R]) entityTxCrash(t testing.TB) {
	t.Helper()
	var e, newer effects
	w.crashed(t, 1, w.work(&e))
	if rows := w.db.Count(t, "SELECT count(*) FROM "+w.entities()); rows != 0 {
		t.Fatalf("the worker died before its commit, and %s has %d rows: the entity and the work have to be in one transaction", w.entities(), rows)
	}
	got, err := w.deliver(2, w.work(&newer))
	wantResult(t, "another version after the crash", got, err, 1)
	w.wantStale(t, "the version whose worker died", 1)
	newer.want(t, 1, w.key(t, 2))
}

// entityZombie: a worker outlives its lease, and a newer version is applied
// meanwhile. It does not bring the old one back.
func (w *trial[R]) entityZombie(t testing.TB) {
	t.Helper()
	var e, newer effects
	var before string
	_, late := w.deliver(1, func(ctx context.Context) (R, error) {
		w.db.Advance(w.Spec.Lease)
		got, err := w.deliver(2, w.work(&newer))
		wantResult(t, "another version after the lease", got, err, 1)
		before = w.rows(t, w.entities())
		return w.work(&e)(ctx)
	})
	if !errors.Is(late, idem.ErrLeaseLost) {
		t.Fatalf("the worker that came back late: got error %v; want idem.ErrLeaseLost", late)
	}
	if after := w.rows(t, w.entities()); after != before {
		t.Fatalf("the worker that came back late changed the entity: it was\n%s\nand is\n%s", before, after)
	}
	newer.want(t, 1, w.key(t, 2))
	if !w.lastAttempt() {
		w.wantStale(t, "the version whose worker came back late", 1)
	}
	e.want(t, 1, w.key(t, 1))
}

// entities is the name of their table.
func (w *trial[R]) entities() string { return w.db.Table() + "_order" }

// wantStale delivers a version for which it is too late.
func (w *trial[R]) wantStale(t testing.TB, what string, n int) {
	t.Helper()
	var e effects
	_, err := w.deliver(n, w.work(&e))
	if !errors.Is(err, idem.ErrStale) {
		t.Fatalf("%s: got error %v; want idem.ErrStale", what, err)
	}
	e.want(t, 0, w.key(t, n))
}

// wantStates checks how many runs there are in which states, and that they are of
// one entity.
func (w *trial[R]) wantStates(t testing.TB, want map[idem.Status]int) {
	t.Helper()
	rows := 0
	for _, status := range []idem.Status{idem.StatusDone, idem.StatusStale} {
		n := w.db.Count(t, fmt.Sprintf("SELECT count(*) FROM %s WHERE status = '%s'", w.db.Table(), status))
		if n != want[status] {
			t.Fatalf("%d runs are %s; want %d:\n%s", n, status, want[status], w.snapshot(t))
		}
		rows += n
	}
	if all := w.db.Count(t, "SELECT count(*) FROM "+w.db.Table()); all != rows {
		t.Fatalf("%d runs are neither done nor stale:\n%s", all-rows, w.snapshot(t))
	}
	held := w.db.Count(t, "SELECT count(*) FROM "+w.entities()+" WHERE due IS NOT NULL")
	if n := w.db.Count(t, "SELECT count(*) FROM "+w.entities()); n != 1 || held != 0 {
		t.Fatalf("%s has %d rows, and %d are held; want 1 that is free:\n%s", w.entities(), n, held, w.rows(t, w.entities()))
	}
}
