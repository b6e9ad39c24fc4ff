package protocol

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Who comes after a company leads, so that who follows goes along. When nobody
// follows, who comes next goes by himself again.
func TestWhoComesAfterACompanyLeads(t *testing.T) {
	inBubble(t, never, func(t *testing.T, d *desk) {
		for _, tt := range []struct {
			names []string
			crowd bool // then
		}{{[]string{"a", "b", "c", "d"}, true}, {[]string{"e"}, false}, {[]string{"f"}, false}} {
			for _, name := range tt.names {
				d.ask(t.Context(), name)
			}
			time.Sleep(5 * tick)
			synctest.Wait()
			if d.door.crowd != tt.crowd {
				t.Errorf("after %q: there is a crowd: %v", tt.names, d.door.crowd)
			}
		}
		d.wantSent(t, "a", "b+c+d", "e", "f")
	})
}

// One who leads waits at the door, and takes along who comes meanwhile. If its context
// ends first, the next one leads.
func TestLeaderWaitsAtTheDoor(t *testing.T) {
	inBubble(t, never, func(t *testing.T, d *desk) {
		out, _ := d.door.try(1) // something else is under way
		ctx, cancel := context.WithCancel(t.Context())
		a := d.ask(ctx, "a")
		b, c := d.ask(t.Context(), "b"), d.ask(t.Context(), "c")
		time.Sleep(slow / 2)
		d.wantSent(t)
		cancel()
		if a.want(t, "", context.Canceled); !IsUnsent(a.err) {
			t.Errorf("%v, which was not sent", a.err)
		}
		out.back()
		time.Sleep(5 * tick)
		d.wantSent(t, "b+c")
		b.want(t, "for b", nil)
		c.want(t, "for c", nil)
	})
}

// A panic in what is sent together is the leader's. Who went along gets an error
// that leaves open what became of it.
func TestPanicOfTheLeader(t *testing.T) {
	inBubble(t, func([]string) error { panic("a tracer's") }, func(t *testing.T, d *desk) {
		out, _ := d.door.try(1)
		var recovered any
		go func() {
			defer func() { recovered = recover() }()
			_, _ = d.answer(t.Context(), "b")
		}()
		synctest.Wait()
		c := d.ask(t.Context(), "c")
		out.back()
		time.Sleep(5 * tick)
		if c.want(t, "", errBroken); recovered == nil {
			t.Errorf("recovered %v", recovered)
		}
	})
}
