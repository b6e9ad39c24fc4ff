package chaos

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// Delivery is one delivery of a message.
type Delivery struct {
	Number      int
	Key         idem.Key
	Redelivered bool
	Refuse      string // what the provider refuses with, if anything: "error", "later"
	Cancel      bool   // the delivery's context ends as the provider answers
}

// Receipt is how a delivery ended.
type Receipt struct {
	Number int
	Key    idem.Key
	Result string        // to be acknowledged, if there is one
	Error  string        // else
	Retry  time.Duration // when to deliver again
}

// broker delivers each key until it is acknowledged, most of them more than
// once and some of them long after.
type broker struct {
	mu      sync.Mutex
	rand    *rand.Rand
	queue   []Delivery
	pending int // deliveries that are not acknowledged
	keys    []idem.Key
	acked   map[idem.Key]string
	given   map[int]Delivery // to workers, by number
	number  int
	acks    int
	closed  bool
	changed chan struct{} // closed at the next change

	findings []finding
}

// maxPending bounds how many deliveries wait for dead workers' leases.
const maxPending = 400

func newBroker(seed uint64) *broker {
	return &broker{
		rand: rand.New(rand.NewPCG(seed, 1)), acked: map[idem.Key]string{}, given: map[int]Delivery{}, changed: make(chan struct{}),
	}
}

// next waits for deliveries, or for the end of who asks.
func (b *broker) next(most int, gone <-chan struct{}) []Delivery {
	for {
		ds, changed := b.take(most)
		if len(ds) > 0 || changed == nil {
			return ds
		}
		select {
		case <-changed:
		case <-gone:
			return nil
		}
	}
}

// take returns deliveries that there are, or else what tells of others, nil if
// there are to be none.
func (b *broker) take(most int) (ds []Delivery, changed chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, nil
	}
	for len(ds) < most {
		if len(b.queue) == 0 && b.pending < maxPending {
			b.publish()
		}
		if len(b.queue) == 0 {
			break
		}
		ds = append(ds, b.give())
	}
	return ds, b.changed
}

// give takes one of the queue's.
func (b *broker) give() Delivery {
	i := b.rand.IntN(len(b.queue))
	d := b.queue[i]
	b.queue[i] = b.queue[len(b.queue)-1]
	b.queue = b.queue[:len(b.queue)-1]
	b.number++
	d.Number = b.number
	b.given[d.Number] = d
	return d
}

// publish puts some new keys into the queue, with duplicates, and now and then
// an old one.
func (b *broker) publish() {
	for range 4 {
		key := idem.Key(fmt.Sprintf("notify:%d", len(b.keys)+1))
		b.keys = append(b.keys, key)
		for range 1 + b.rand.IntN(3) {
			d := Delivery{Key: key, Cancel: b.rand.IntN(8) == 0}
			if b.rand.IntN(10) == 0 {
				d.Refuse = [...]string{"error", "later"}[b.rand.IntN(2)]
			}
			b.add(d)
		}
	}
	b.add(Delivery{Key: b.keys[b.rand.IntN(len(b.keys))], Redelivered: b.rand.IntN(2) == 0})
}

func (b *broker) add(d Delivery) {
	b.pending++
	b.queue = append(b.queue, d)
}

// settled takes a delivery's receipt: it is acknowledged, or comes again.
func (b *broker) settled(r Receipt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d, known := b.given[r.Number]
	delete(b.given, r.Number)
	switch {
	case r.Error == "":
		b.ack(r.Key, r.Result)
	case known:
		d.Redelivered, d.Refuse = true, ""
		time.AfterFunc(r.Retry, func() { b.giveBack(d) })
	}
	// Otherwise it was taken from a worker that stood still.
	if known && r.Error == "" {
		b.pending--
		b.wake()
	}
}

func (b *broker) ack(key idem.Key, result string) {
	b.acks++
	if first, again := b.acked[key]; again && first != result {
		b.findings = append(b.findings, finding{checkBytes, key, fmt.Sprintf("acknowledged with %s and with %s", first, result)})
	}
	b.acked[key] = result
}

// forget has a key be a new one: its retention is over.
func (b *broker) forget(key idem.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.acked, key)
}

// takeBack delivers again what a worker has not answered, and returns its keys.
func (b *broker) takeBack(numbers map[int]bool) (keys []idem.Key) {
	for number := range numbers {
		b.mu.Lock()
		d, known := b.given[number]
		delete(b.given, number)
		b.mu.Unlock()
		if known {
			d.Redelivered, d.Refuse = true, ""
			b.giveBack(d)
			keys = append(keys, d.Key)
		}
	}
	return keys
}

func (b *broker) giveBack(d Delivery) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = append(b.queue, d)
	b.wake()
}

func (b *broker) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// close ends the deliveries.
func (b *broker) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.wake()
}

// acknowledged returns how many deliveries were.
func (b *broker) acknowledged() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.acks
}

// haveAll reports whether all of some keys are acknowledged.
func (b *broker) haveAll(keys []idem.Key) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, key := range keys {
		if _, acked := b.acked[key]; !acked {
			return false
		}
	}
	return true
}
