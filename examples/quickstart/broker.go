package main

import (
	"cmp"
	"slices"
	"sync"
)

// Broker plays a queue that delivers at least once: what is not acknowledged
// is delivered again.
type Broker struct {
	queue      []ShippedEvent
	deliveries int
}

// Answer is what came of a delivery.
type Answer struct {
	Event   string
	Outcome string
	Detail  string
	Ack     bool
}

// Worker handles one delivery.
type Worker func(ShippedEvent) Answer

// Publish puts events into the queue.
func (b *Broker) Publish(events ...ShippedEvent) { b.queue = append(b.queue, events...) }

// Deliver hands out what is in the queue, one after the other.
func (b *Broker) Deliver(work Worker) []Answer {
	var answers []Answer
	for _, event := range b.take() {
		answers = append(answers, b.settle(event, work(event)))
	}
	return answers
}

// DeliverAtOnce hands out what is in the queue, to a worker each at the same
// time. The answers are sorted, since their order is anybody's guess.
func (b *Broker) DeliverAtOnce(work Worker) []Answer {
	events := b.take()
	answers := make([]Answer, len(events))
	var workers sync.WaitGroup
	for i, event := range events {
		workers.Go(func() { answers[i] = work(event) })
	}
	workers.Wait()
	for i, event := range events {
		b.settle(event, answers[i])
	}
	slices.SortFunc(answers, func(x, y Answer) int {
		return cmp.Or(cmp.Compare(y.Outcome, x.Outcome), cmp.Compare(x.Detail, y.Detail))
	})
	return answers
}

func (b *Broker) take() []ShippedEvent {
	events := b.queue
	b.queue = nil
	return events
}

// settle takes a worker's answer. Without acknowledgement, the event stays.
func (b *Broker) settle(event ShippedEvent, answer Answer) Answer {
	b.deliveries++
	if !answer.Ack {
		b.queue = append(b.queue, event)
	}
	return answer
}
