package chaos

import (
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// A run that its handler has held back just before the end is legal, and waited
// for.
func TestHeldAtTheEnd(t *testing.T) {
	l := newLab(t, fault{})
	if r := l.deliver(l.worker(l), Delivery{Key: l.publish(), Refuse: "later"}); r.Error == "" || r.Retry == 0 {
		t.Fatalf("refused: %+v", r)
	}
	for {
		n, err := l.db.held()
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		l.advance(time.Millisecond)
	}
	for _, found := range l.findings() {
		t.Error(found)
	}
}

// A history for which there is no end of orders is told of as undecided, and
// takes its time only.
func TestUndecided(t *testing.T) {
	limit := decideWithin
	t.Cleanup(func() { decideWithin = limit })
	decideWithin = 10 * time.Millisecond
	e := evidence{near: newNear(1)}
	e.broker.keys = []idem.Key{"k"}
	for n := range 60 {
		e.begin("k", Op{Kind: "claim", Owner: idem.Owner{byte(n)}}) // and nobody hears the end
	}
	e.end(e.begin("k", Op{Kind: "release", Owner: a, Attempt: 100}), Answer{Kind: ok}) // of an attempt that nobody was granted
	found := e.told()
	if len(found) != 1 || found[0].check != checkUndecided {
		t.Errorf("found %v; want one of: %s", found, checkUndecided)
	}
}
