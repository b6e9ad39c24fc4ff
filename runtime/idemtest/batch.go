package idemtest

import (
	"bytes"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// Each makes the events of a batch: the one of each number.
func Each[E any](numbers []int, of func(n int) E) []E {
	events := make([]E, len(numbers))
	for i, n := range numbers {
		events[i] = of(n)
	}
	return events
}

// Delivered is what a batch of a handler without a result was answered.
func Delivered(errs []error) []idem.Delivered[struct{}] {
	answers := make([]idem.Delivered[struct{}], len(errs))
	for i, err := range errs {
		answers[i].Err = err
	}
	return answers
}

// batch: a batch has an event of before, others, and one of these twice.
func (w *trial[R]) batch(t testing.TB) {
	t.Helper()
	var e effects
	first, err := w.deliver(1, w.work(&e))
	wantResult(t, "an event before the batch", first, err, 1)
	numbers := []int{2, 1, 3, 2}
	answers := w.Batch(w.message(0, false), w.db.Store(), numbers, w.work(&e))
	if len(answers) != len(numbers) {
		t.Fatalf("a batch of %d events got %d answers", len(numbers), len(answers))
	}
	for i, a := range answers {
		if a.Err != nil {
			t.Fatalf("event %d in a batch: %v; want its result", numbers[i], a.Err)
		}
	}
	wantSame(t, "the batch's event of before it", answers[1].Result, first)
	wantSame(t, "an event that is in the batch twice", answers[3].Result, answers[0].Result)
	if !bytes.Equal(encode(t, sample[R](2)), encode(t, sample[R](3))) && bytes.Equal(encode(t, answers[0].Result), encode(t, answers[2].Result)) {
		t.Fatalf("two events in a batch got one result:\n%s", encode(t, answers[0].Result))
	}
	w.wantEach(t, &e, 1, 2, 3)
	if rows := w.db.Count(t, "SELECT count(*) FROM "+w.db.Table()+" WHERE status = 'done'"); rows != 3 {
		t.Fatalf("%d runs are done after a batch of three events; want 3:\n%s", rows, w.snapshot(t))
	}
}

// wantEach checks that events had one effect each, and no other had one.
func (w *trial[R]) wantEach(t testing.TB, e *effects, numbers ...int) {
	t.Helper()
	times := map[idem.Key]int{}
	for _, key := range e.keys {
		times[key]++
	}
	for _, n := range numbers {
		if got := times[w.key(t, n)]; got != 1 {
			t.Fatalf("the handler ran %d times for event %d; want 1", got, n)
		}
	}
	if got := e.count(); got != len(numbers) {
		t.Fatalf("the handler ran %d times for %d events", got, len(numbers))
	}
}
