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
