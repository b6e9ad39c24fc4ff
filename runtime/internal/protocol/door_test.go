package protocol

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// goOut has so many go out one right after the other, if they can, and returns those
// that could.
func goOut(d *door, n, here int) (out []outing) {
	for range n {
		if o, ok := d.try(here); ok {
			out = append(out, o)
		}
	}
	return out
}

func (d *door) wantOut(t *testing.T, when string, here, want int) {
	t.Helper()
	out := goOut(d, want+3, here)
	if len(out) != want {
		t.Errorf("%s: %d are out; want %d", when, len(out), want)
	}
	for _, o := range out {
		o.back()
	}
	if d.out != 0 || d.shut {
		t.Errorf("%s: in the end %d are out, shut %v", when, d.out, d.shut)
	}
}

// Where the database takes its time, as many go out as there are connections, and
// where it is near, one. A few late answers do not make it far, and one that is quick
// makes it near.
func TestFarDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &door{conns: 5}
		d.wantOut(t, "at first", few+1, 1)
		for range lately {
			d.wantOut(t, "before so many were late", few+1, 1)
			out, _ := d.try(few + 1)
			time.Sleep(quick)
			out.answered()
		}
		d.wantOut(t, "after so many were late", few+1, 5)
		out, _ := d.try(few + 1)
		time.Sleep(quick - time.Nanosecond)
		out.answered()
		d.wantOut(t, "after one was quick", few+1, 1)
	})
}

// How long an answer takes that others wait for at the same time, or one to many, says
// nothing of how near the database is.
func TestWhatTellsHowNearItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &door{conns: 5, late: lately}
		out := goOut(d, 2, few+1)
		out[1].answered()
		if d.late < lately {
			t.Error("an answer beside another counts as quick")
		}
		out[0].back()
		out, d.late = goOut(d, 1, few+1), 0
		time.Sleep(time.Second)
		if out[0].back(); d.late != 0 {
			t.Error("an answer to many counts as late")
		}
	})
}

// A few go out by themselves, when there have not been more for a while.
func TestAFewGoByThemselves(t *testing.T) {
	d := &door{conns: 5}
	for range lately - 1 {
		d.wantOut(t, "before there were few for so long", few+1, 1)
		out, _ := d.try(1)
		out.back()
	}
	d.calm = lately - 1
	d.wantOut(t, "a few", few, few)
	if _, ok := d.try(few + 1); !ok || d.calm != 0 {
		t.Errorf("of more than a few, the first went: %v, and it is calm for %d", ok, d.calm)
	}
	if _, ok := d.try(few); ok {
		t.Error("another went beside it")
	}
	d = &door{conns: 2, calm: lately}
	d.wantOut(t, "over two connections", few, 2)
	d = &door{conns: 5, calm: lately, crowd: true}
	d.wantOut(t, "out of a crowd", few, 0)
}

// Who has waited for too long goes, if there is a connection.
func TestNobodyGoesWithoutAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &door{conns: 2}
		locked, _ := d.try(few + 1)
		went := make(chan outing, 2)
		for range 2 {
			go func() {
				out, err := d.wait(t.Context())
				if err != nil {
					t.Error(err)
				}
				went <- out
			}()
			synctest.Wait()
		}
		time.Sleep(100*slow + slow/2)
		if len(went) != 1 {
			t.Fatalf("%d went over one connection", len(went))
		}
		locked.back() // and who went anyway keeps the door shut
		synctest.Wait()
		if len(went) != 1 {
			t.Fatal("another went at once")
		}
		time.Sleep(slowest)
		synctest.Wait()
		if len(went) != 2 {
			t.Fatal("another did not go over the free connection")
		}
		(<-went).back()
		(<-went).back()
		if d.out != 0 || d.shut {
			t.Errorf("%d are out, shut %v", d.out, d.shut)
		}
	})
}

// Several queues have one door, where who came first goes first.
func TestTheDoorKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &door{conns: 5}
		first, _ := d.try(1)
		var went []string
		for _, name := range []string{"a", "b", "c"} {
			go func() {
				out, err := d.wait(t.Context())
				if err != nil {
					t.Error(err)
				}
				went = append(went, name)
				time.Sleep(tick)
				out.back()
			}()
			synctest.Wait()
		}
		first.back()
		if _, ok := d.try(1); ok {
			t.Error("one who comes goes before those in line")
		}
		time.Sleep(5 * tick)
		synctest.Wait()
		if !slices.Equal(went, []string{"a", "b", "c"}) || d.shut {
			t.Errorf("went %q; shut %v", went, d.shut)
		}
	})
}

// Who gives up just when the turn comes does not keep the door shut, and who gives up
// before is not let out.
func TestTurnsOfThoseWhoLeave(t *testing.T) {
	d := &door{conns: 5}
	first, _ := d.try(1)
	_, gone := d.line()
	_, turn := d.line()
	_, next := d.line()
	d.leave(gone)
	first.back()
	if _, ok := d.anyway(turn); ok {
		t.Error("went out of turn, when the turn had come")
	}
	d.leave(turn)
	select {
	case out := <-next:
		out.back()
	default:
		t.Error("the next one does not go")
	}
	if d.shut || d.out != 0 || len(d.waiting) > 0 {
		t.Errorf("shut %v, %d are out, %d wait", d.shut, d.out, len(d.waiting))
	}
	d.try(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.wait(ctx); !IsUnsent(err) || len(d.waiting) > 0 {
		t.Errorf("gave up with %v; %d wait", err, len(d.waiting))
	}
}
