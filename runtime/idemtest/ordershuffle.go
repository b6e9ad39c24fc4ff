package idemtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

const (
	// versions is how many of an entity are delivered out of order.
	versions = 8
	// rounds is how often a version may come while others are under way.
	rounds = 20
)

// shuffled: the versions of an entity come twice each, in any order, to several
// workers, and each comes again until it is over. At no time do two of them run,
// none runs behind a newer one, and the newest has run in the end.
func (w *trial[R]) shuffled(t testing.TB) {
	t.Helper()
	seed := rand.Uint64()
	d := &deck[R]{trial: w, ran: make([]effects, versions+1), over: make([]error, versions+1), back: make([]int, versions+1)}
	for n := range 2 * versions {
		d.left = append(d.left, n%versions+1)
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(d.left), func(i, j int) { d.left[i], d.left[j] = d.left[j], d.left[i] })
	order := strings.Trim(fmt.Sprint(d.left), "[]")
	var workers sync.WaitGroup
	for range int(racers) {
		workers.Go(d.work)
	}
	workers.Wait()
	d.alone()
	if d.fault != "" {
		t.Fatalf("%s; the versions came in the order %s", d.fault, order)
	}
	done := 0
	for n := 1; n <= versions; n++ {
		w.wantOver(t, d, n)
		done += d.ran[n].count()
	}
	if d.newest != versions {
		t.Fatalf("the newest version that ran is %d; want %d", d.newest, versions)
	}
	w.wantStates(t, map[idem.Status]int{idem.StatusDone: done, idem.StatusStale: versions - done})
}

// wantOver checks that a version ran, or was too late.
func (w *trial[R]) wantOver(t testing.TB, d *deck[R], n int) {
	t.Helper()
	want := 1
	if errors.Is(d.over[n], idem.ErrStale) {
		want = 0
	} else if d.over[n] != nil {
		t.Fatalf("version %d: got error %v; want its result, or idem.ErrStale", n, d.over[n])
	}
	d.ran[n].want(t, want, w.key(t, n))
}

// deck is a shuffled pile of deliveries, which the workers share.
type deck[R any] struct {
	*trial[R]
	ran []effects // by version

	mu      sync.Mutex
	left    []int   // versions that are to be delivered
	over    []error // what each version was answered in the end
	back    []int   // how often each was to come again
	late    []int   // of those, the ones that are left for the end
	last    bool    // which it is: one delivery is under way at a time
	running int
	newest  int // that has begun
	fault   string
}

// work delivers what is left, until nothing is.
func (d *deck[R]) work() {
	for {
		n, ok := d.next()
		if !ok {
			return
		}
		_, err := d.deliver(n, d.handler(n))
		d.answered(n, err)
	}
}

func (d *deck[R]) next() (n int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.left) == 0 || d.fault != "" {
		return 0, false
	}
	n, d.left = d.left[0], d.left[1:]
	return n, true
}

// handler runs a version, and looks who else does.
func (d *deck[R]) handler(n int) func(context.Context) (R, error) {
	return func(ctx context.Context) (R, error) {
		d.enter(n)
		defer d.leave()
		return d.trial.work(&d.ran[n])(ctx)
	}
}

func (d *deck[R]) enter(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running++
	switch {
	case d.running > 1:
		d.wrong("two versions of one entity ran at the same time")
	case n < d.newest:
		d.wrong(fmt.Sprintf("version %d ran when version %d had", n, d.newest))
	}
	d.newest = max(d.newest, n)
}

func (d *deck[R]) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
}

// answered puts a delivery back that is to come again.
func (d *deck[R]) answered(n int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch before := d.over[n]; {
	case errors.Is(err, idem.ErrInProgress):
		d.again(n)
	case before != nil && !errors.Is(err, idem.ErrStale):
		d.wrong(fmt.Sprintf("version %d was answered %v, then %v", n, before, err))
	default:
		d.over[n] = err
	}
}

// again puts a delivery back: among the others at first, and, when it was often in
// somebody's way there, behind all.
func (d *deck[R]) again(n int) {
	d.back[n]++
	switch {
	case d.last:
		d.wrong(fmt.Sprintf("version %d was told to come back %d times, at last when no other delivery was under way", n, d.back[n]))
	case d.back[n] < rounds:
		d.left = append(d.left, n)
	default:
		d.late = append(d.late, n)
	}
}

// alone delivers what was left for the end, one after the other, when nobody can be
// in the way.
func (d *deck[R]) alone() {
	d.left, d.late, d.last = d.late, nil, true
	d.work()
}

// wrong keeps the first fault.
func (d *deck[R]) wrong(fault string) {
	if d.fault == "" {
		d.fault = fault
	}
}
