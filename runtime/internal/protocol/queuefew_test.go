package protocol

import (
	"testing"
	"testing/synctest"
	"time"
)

// As long as few ask, they go by themselves; who comes while another leads does not.
func TestAFewGoByThemselves(t *testing.T) {
	inBubble(t, never, func(t *testing.T, d *desk) {
		d.direct = newPlaces(2)
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			d.ask(t.Context(), name)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		d.ask(t.Context(), "f") // d and e are under way
		time.Sleep(5 * time.Millisecond)
		d.wantSent(t, "a", "b", "c", "d+e", "f")
		if d.direct.free.Load() != 2 {
			t.Errorf("%d may go by themselves", d.direct.free.Load())
		}
	})
}

// After a large company the first who comes leads again, so that who follows goes
// along. When there were few, they go by themselves again.
func TestWhoComesAfterALargeCompanyLeads(t *testing.T) {
	inBubble(t, never, func(t *testing.T, d *desk) {
		d.direct = newPlaces(2)
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			d.ask(t.Context(), name)
		}
		time.Sleep(5 * time.Millisecond)
		for _, name := range []string{"g", "h", "i"} {
			d.ask(t.Context(), name)
		}
		time.Sleep(5 * time.Millisecond)
		for _, name := range []string{"j", "k"} {
			d.ask(t.Context(), name)
		}
		time.Sleep(5 * time.Millisecond)
		d.wantSent(t, "a", "b", "c", "d+e+f", "g", "h+i", "j", "k")
	})
}

// Who comes while others wait does not go before them.
func TestNobodyGoesByThoseWhoWait(t *testing.T) {
	inBubble(t, never, func(t *testing.T, d *desk) {
		d.direct = newPlaces(1)
		d.ask(t.Context(), "a")
		time.Sleep(time.Millisecond / 2)
		d.ask(t.Context(), "b")
		d.ask(t.Context(), "c")
		time.Sleep(time.Millisecond * 3 / 4) // a has its answer, and b not yet
		d.ask(t.Context(), "e")
		time.Sleep(5 * time.Millisecond)
		d.wantSent(t, "a", "b", "c+e")
	})
}

// A panic in what is sent together is the leader's. Who went along gets an error
// that leaves open what became of it.
func TestPanicOfTheLeader(t *testing.T) {
	inBubble(t, func([]string) error { panic("a tracer's") }, func(t *testing.T, d *desk) {
		d.free = 0 // b leads when it is told to
		var recovered any
		go func() {
			defer func() { recovered = recover() }()
			_, _ = d.do(t.Context(), "b")
		}()
		synctest.Wait()
		c := d.ask(t.Context(), "c")
		d.passOnLocked()
		time.Sleep(5 * time.Millisecond)
		if c.want(t, "", errBroken); recovered == nil || d.free != 1 {
			t.Errorf("recovered %v; %d may lead", recovered, d.free)
		}
	})
}

func (d *desk) passOnLocked() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.passOn()
}
