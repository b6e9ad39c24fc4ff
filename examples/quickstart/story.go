package main

import (
	"fmt"
	"io"
	"time"
)

// story is what happens to three events.
type story struct {
	out     io.Writer
	broker  *Broker
	workers *Workers
}

func event(n int) ShippedEvent {
	return ShippedEvent{ID: fmt.Sprintf("evt_%d", n), Phone: "+15550100"}
}

func (s *story) tell() error {
	s.crashBeforeAck()
	s.fiveAtOnce()
	if err := s.deathInBetween(); err != nil {
		return err
	}
	s.batchByHand()
	return nil
}

func (s *story) crashBeforeAck() {
	s.say("\n1. The worker crashes before it acknowledges.")
	s.broker.Publish(event(1))
	s.show(s.broker.Deliver(s.workers.CrashesBeforeAck))
	s.redeliver()
}

func (s *story) fiveAtOnce() {
	s.say("\n2. The sender is impatient: five workers get the event at the same time.")
	const n = 5
	for range n {
		s.broker.Publish(event(2))
	}
	s.show(s.broker.DeliverAtOnce(s.workers.Meeting(n)))
	s.redeliver()
}

func (s *story) deathInBetween() error {
	s.say("\n3. The worker dies between the effect and its record.")
	s.broker.Publish(event(3))
	s.show(s.broker.Deliver(s.workers.DiesAfterEffect))
	s.redeliver()
	if err := s.workers.data.Advance(2 * time.Minute); err != nil {
		return err
	}
	if len(s.broker.queue) > 0 {
		s.say("   Two minutes later, the lease is over:")
		s.show(s.broker.Deliver(s.workers.Steady))
		s.say("   Nobody could know whether the text had been sent, so Notify ran again: under")
		s.say("   the same key, by which the provider recognised it. It sent no second text.")
	}
	return nil
}

func (s *story) batchByHand() {
	s.say("\n4. Somebody redelivers the whole batch by hand.")
	s.broker.Publish(event(1), event(2), event(3))
	s.show(s.broker.Deliver(s.workers.Steady))
}

// redeliver hands out again what was not acknowledged.
func (s *story) redeliver() {
	if len(s.broker.queue) > 0 {
		s.say("   The broker delivers again what was not acknowledged:")
		s.show(s.broker.Deliver(s.workers.Steady))
	}
}

func (s *story) say(line string) { fmt.Fprintln(s.out, line) }

func (s *story) show(answers []Answer) {
	for _, a := range answers {
		fmt.Fprintf(s.out, "   %s  %-11s  %s\n", a.Event, a.Outcome, a.Detail)
	}
}
