package runtime

import (
	"context"
	"time"
)

// Observer is told what becomes of deliveries, for metrics. Many goroutines
// call it, each in the middle of a delivery, so it has to be quick.
type Observer interface {
	// Received is told of each delivery that has a key, before the store is
	// asked.
	Received(ctx context.Context, job Job)
	// Ended is told what that delivery was answered.
	Ended(ctx context.Context, job Job, end End)
	// LeaseLost is told when a handler's context has ended because its lease
	// is lost, or over without an answer from the store. The handler may go
	// on, and Ended comes when it returns.
	LeaseLost(ctx context.Context, job Job)
}

// Job is a delivery as an [Observer] sees it.
type Job struct {
	Handler  string
	Key      Key
	Delivery Delivery // what [WithDelivery] told
	// Attempt is the run's: zero when the job is received, and when the store
	// gave no answer.
	Attempt int
}

// End is how a delivery ended.
type End struct {
	Answer Answer
	// Err is what the wrapper returns, nil with a result; or what the handler
	// panicked with.
	Err error
	// Text is its text, as [WithErrorText] has it.
	Text string
	// Duration is the time since the job was received.
	Duration time.Duration
}

// WithObserver has an observer told of deliveries, beside those that the store
// has already.
func WithObserver(o Observer) Option {
	return func(s *settings) { s.observers = append(s.observers[:len(s.observers):len(s.observers)], o) }
}

// watch tells observers of one delivery.
type watch struct {
	settings
	info  *runInfo
	start time.Time
}

func (w *watch) received(ctx context.Context) {
	if w.observers == nil {
		return
	}
	w.start = time.Now()
	for _, o := range w.observers {
		o.Received(ctx, w.info.job())
	}
}

func (w *watch) ended(ctx context.Context, answer Answer, err error) {
	w.info.answer.Store(uint32(answer))
	if w.observers == nil {
		return
	}
	end := End{Answer: answer, Err: err, Duration: time.Since(w.start)}
	if err != nil {
		end.Text = textOf(err, w.errorText)
	}
	for _, o := range w.observers {
		o.Ended(ctx, w.info.job(), end)
	}
}

func (w *watch) leaseLost(ctx context.Context) {
	for _, o := range w.observers {
		o.LeaseLost(ctx, w.info.job())
	}
}
