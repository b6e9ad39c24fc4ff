package protocol

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// quick is how soon a database answers that is near. To wait for the answer
	// to another costs little then, and to go together saves most of the work; where
	// the way is long, or each commit waits for a disk, the work hardly counts.
	quick = 300 * time.Microsecond
	// slow is how long one waits at the door of a database that is near, and no
	// longer: somebody's row may be locked.
	slow = 250 * time.Microsecond
	// slowest is how long at most one waits until it looks again for a connection, where
	// all are out.
	slowest = 8 * slow
	// lately is how many have to come back late until the database is not near: a
	// process may pause, and a machine be busy with something else.
	lately = 16
	// few are those that go out by themselves also where the database is near: they
	// would lose more by waiting for each other than they would save together.
	few = 3
)

// door lets out as many as there are connections. Where the database is near it lets
// out one at a time, unless that one takes long, or there are few for a while.
type door struct {
	conns int

	mu      sync.Mutex
	out     int  // how many are
	shut    bool // who went out last still is
	last    int  // who that is, by number
	waiting []chan outing
	late    int  // how many came back late, since one was quick
	crowd   bool // who led last had others to lead
	calm    int  // how many have come since there were more than a few

	here atomic.Int32 // who are out or wait
}

// outing is the time that somebody is out.
type outing struct {
	*door
	number int
	since  time.Time // zero if it tells nothing of the database
}

// try goes out alone, if there is no crowd, and the door is open or so few are here
// that they would not be more together.
func (d *door) try(here int) (outing, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.calm++; here > few {
		d.calm = 0
	}
	alone := d.calm >= lately && d.out < min(few, d.conns)
	if d.crowd || !alone && !d.open() {
		return outing{}, false
	}
	return d.next(), true
}

func (d *door) open() bool {
	return d.out < d.conns && (!d.shut || d.late >= lately)
}

// led notes whether a leader has others to lead.
func (d *door) led(crowd bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.crowd = crowd
}

func (d *door) next() outing {
	o := outing{door: d}
	if d.out == 0 {
		o.since = time.Now()
	}
	d.out++
	d.last++
	d.shut, o.number = true, d.last
	return o
}

// wait goes out when the door is open, or, if there is a connection, after a while. It
// returns an UnsentError if the context ends first.
func (d *door) wait(ctx context.Context) (outing, error) {
	out, turn := d.line()
	if turn == nil {
		return out, nil
	}
	pause := slow
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case out := <-turn:
			return out, nil
		case <-timer.C:
			if out, ok := d.anyway(turn); ok {
				return out, nil
			}
			pause = min(2*pause, slowest)
			timer.Reset(pause)
		case <-ctx.Done():
			d.leave(turn)
			return outing{}, &UnsentError{Err: ctx.Err()}
		}
	}
}

// line goes out if the door is open, and otherwise stands in line for a turn.
func (d *door) line() (out outing, turn chan outing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open() {
		return d.next(), nil
	}
	turn = make(chan outing, 1)
	d.waiting = append(d.waiting, turn)
	return outing{}, turn
}

// anyway goes out out of turn, unless there is no connection or the turn has come.
func (d *door) anyway(turn chan outing) (outing, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.out == d.conns || !remove(&d.waiting, turn) {
		return outing{}, false
	}
	return d.next(), true
}

// leave leaves the line, or comes back at once if the turn has come.
func (d *door) leave(turn chan outing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !remove(&d.waiting, turn) {
		d.back(<-turn)
	}
}

// back is for one who comes back, with the answer to many.
func (o outing) back() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.door.back(o)
}

// answered is back with an answer to one, which tells how near the database is.
func (o outing) answered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.since.IsZero():
	case time.Since(o.since) < quick:
		o.late = 0
	default:
		o.late++
	}
	o.door.back(o)
}

// back lets out who waits first.
func (d *door) back(o outing) {
	d.out--
	if o.number == d.last {
		d.shut = false
	}
	if len(d.waiting) > 0 && d.open() {
		d.waiting[0] <- d.next()
		d.waiting = slices.Delete(d.waiting, 0, 1)
	}
}
