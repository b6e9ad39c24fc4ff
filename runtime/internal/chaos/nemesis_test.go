package chaos

import (
	"fmt"
	"slices"
	"time"
)

// steps are where workers are struck.
var steps = []string{
	"claim begins", granted, replayed, "provider is called", "provider has answered", "complete begins", ok, "answer",
}

// somewhere is a step, and for three in four some time behind it, in which
// statements are under way.
func (s *scene) somewhere() strike {
	b := strike{step: steps[s.rand.IntN(len(steps))]}
	if s.rand.IntN(4) > 0 {
		b.delay = time.Duration(s.rand.Int64N(int64(3*time.Millisecond))) + 1
	}
	return b
}

// killWorkers kills workers by kill -9, each at a step, and starts others.
func (s *scene) killWorkers(times int) {
	for range times {
		b := s.somewhere()
		b.blow = (*process).kill
		p := s.struck(s.arm(b))
		<-p.gone
		s.did.kills++
		s.replace(p)
		s.progress(3)
	}
}

func (s *scene) replace(p *process) {
	i := slices.Index(s.workers, p)
	s.workers[i] = s.start()
	if text := p.said.String(); text != "" {
		s.t.Errorf("a worker said: %s", text)
	}
}

// pauseWorkers has workers stand still, each at a step, until their leases are
// over and others have done what they had in hand, if they can, and go on then.
func (s *scene) pauseWorkers(times int) {
	for range times {
		b := s.somewhere()
		var failed error
		b.blow = func(p *process) { failed = pause(p.cmd.Process) }
		p := s.struck(s.arm(b))
		if failed != nil {
			s.t.Skip(failed)
		}
		if !s.outlast(p) {
			s.did.alone++
		}
		if err := resume(p.cmd.Process); err != nil {
			s.t.Fatal(err)
		}
		s.did.pauses++
		s.progress(3)
	}
}

// outlast waits until the leases of a worker that stands still are over, and
// reports whether others have done what it had in hand.
func (s *scene) outlast(p *process) bool {
	stopped := s.time()
	keys := p.abandon()
	s.await("the leases over", func() bool { return s.time() > stopped+lease.Milliseconds() })
	// One that stands still in a transaction has SQLite's file locked for all.
	for wait := time.NewTimer(2 * lease); !s.broker.haveAll(keys); {
		select {
		case <-wait.C:
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
	return true
}

// time is the database's, in milliseconds.
func (s *scene) time() (now int64) {
	s.t.Helper()
	s.await("the database's time", func() bool {
		var err error
		now, err = s.db.number("SELECT " + s.db.millis)
		return err == nil
	})
	return now
}

// crashServer stops the server by pg_ctl stop -m immediate and starts it again,
// each time when deliveries are under way.
func (s *scene) crashServer(times int) {
	c := theServer(s.t)
	for range times {
		s.progress(20)
		if err := c.Crash(); err != nil {
			s.t.Fatal(err)
		}
		if err := c.Resume(); err != nil {
			s.t.Fatal(err)
		}
		s.did.crashes++
		s.time() // the server takes connections
	}
	s.progress(20)
}

// progress waits until some deliveries more are acknowledged.
func (s *scene) progress(n int) {
	s.t.Helper()
	before := s.broker.acknowledged()
	s.await("more deliveries", func() bool { return s.broker.acknowledged() >= before+n })
}

// cutConnections breaks connections at chosen messages: of each side and each
// kind that passes, before, within and behind it; and has some requests arrive
// when their client is long gone.
func (s *scene) cutConnections(times int) {
	for s.did.cuts < times {
		c := s.cut()
		hit := make(chan struct{}, 1)
		s.wire.play(c.script(hit))
		before := s.broker.acknowledged()
		s.await(fmt.Sprintf("%+v", c), func() bool {
			select {
			case <-hit:
				s.did.cuts++
				return true
			default: // or such messages come no more
				return s.broker.acknowledged() > before+200
			}
		})
		s.wire.play(nil)
		if s.rand.IntN(3) == 0 {
			s.wire.deliver()
		}
	}
	s.progress(20)
}

// cut is a message at which a connection breaks.
type cut struct {
	from side
	kind byte
	nth  int // from now on
	move move
}

func (s *scene) cut() cut {
	c := cut{from: []side{client, server}[s.rand.IntN(2)], nth: 1 + s.rand.IntN(3)}
	kinds := s.wire.kinds(c.from)
	slices.Sort(kinds)
	c.kind = kinds[s.rand.IntN(len(kinds))]
	moves := []move{before, torn, after}
	if c.from == client && slices.Contains([]byte{parseMsg, bindMsg, queryMsg}, c.kind) {
		moves = append(moves, delayed, delayed)
	}
	c.move = moves[s.rand.IntN(len(moves))]
	return c
}

// script breaks the connection of the nth such message, and tells.
func (c cut) script(hit chan<- struct{}) func(message) move {
	left := make(chan int, 1)
	left <- c.nth
	return func(m message) move {
		if m.from != c.from || m.kind != c.kind {
			return pass
		}
		n := <-left - 1
		left <- n
		if n != 0 {
			return pass
		}
		hit <- struct{}{}
		return c.move
	}
}
