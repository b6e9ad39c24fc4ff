package protocol

import (
	"context"
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
		d.ask(t.Context(), "f") // c, d and e are under way
		time.Sleep(5 * time.Millisecond)
		d.wantSent(t, "a", "b", "c+d+e", "f")
		if len(d.direct) != 0 {
			t.Errorf("%d places were not given back", len(d.direct))
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
		d.wantSent(t, "a", "b", "c+d+e+f", "g", "h+i", "j", "k")
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
		d.wantSent(t, "a", "b+c", "e")
	})
}

// One who leads waits for a place, and takes along who comes meanwhile, however long
// that is. If its context ends first, the next one leads.
func TestLeaderWaitsForAPlace(t *testing.T) {
	inBubble(t, never, func(t *testing.T, d *desk) {
		d.direct = newPlaces(1)
		d.direct.take() // something else is under way
		ctx, cancel := context.WithCancel(t.Context())
		a := d.ask(ctx, "a")
		b, c := d.ask(t.Context(), "b"), d.ask(t.Context(), "c")
		time.Sleep(10 * slow)
		d.wantSent(t)
		cancel()
		if a.want(t, "", context.Canceled); !IsUnsent(a.err) {
			t.Errorf("%v, which was not sent", a.err)
		}
		d.direct.giveBack()
		time.Sleep(5 * time.Millisecond)
		d.wantSent(t, "b+c")
		b.want(t, "for b", nil)
		c.want(t, "for c", nil)
		if len(d.direct) != 0 || d.free != 1 {
			t.Errorf("%d places were not given back; %d may lead", len(d.direct), d.free)
		}
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
		d.pass()
		time.Sleep(5 * time.Millisecond)
		if c.want(t, "", errBroken); recovered == nil || d.free != 1 {
			t.Errorf("recovered %v; %d may lead", recovered, d.free)
		}
	})
}
