package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	idem "github.com/idemgen/idemgen/runtime"
)

// Workers handle deliveries, each as a process of its own would.
type Workers struct {
	data     *Database
	provider *Provider
	unsafe   bool         // call the handler without its wrapper
	runs     atomic.Int32 // of the handler
}

// Steady is a worker that nothing happens to.
func (w *Workers) Steady(event ShippedEvent) Answer {
	receipt, ran, err := w.handle(event, w.data.Store, nil)
	return answer(event, receipt, ran, err)
}

// CrashesBeforeAck is a worker that does all its work, and then crashes.
func (w *Workers) CrashesBeforeAck(event ShippedEvent) Answer {
	a := w.Steady(event)
	a.Ack = false
	a.Detail += ", then the worker crashed"
	return a
}

// DiesAfterEffect is a worker that dies when the handler has done its work,
// and before anybody could write that down.
func (w *Workers) DiesAfterEffect(event ShippedEvent) Answer {
	receipt, ran, err := w.handle(event, dying{w.data.Store}, nil)
	if err != nil && !errors.Is(err, errDied) {
		return answer(event, receipt, ran, err)
	}
	return Answer{Event: event.ID, Outcome: "died", Detail: "after the text was sent, before it was recorded"}
}

// Meeting returns a worker for each of n deliveries that are under way at the
// same time: whoever calls the provider waits there for all the others to
// have called it too, or to have been turned away.
func (w *Workers) Meeting(n int) Worker {
	var others sync.WaitGroup
	others.Add(n)
	return func(event ShippedEvent) Answer {
		receipt, ran, err := w.handle(event, w.data.Store, func() {
			others.Done()
			others.Wait()
		})
		if !ran {
			others.Done()
		}
		return answer(event, receipt, ran, err)
	}
}

// handle calls the handler, through its wrapper unless told otherwise.
func (w *Workers) handle(event ShippedEvent, store idem.Store, meet func()) (receipt Receipt, ran bool, err error) {
	ctx := context.Background()
	line := &line{provider: w.provider, meet: meet}
	shop := Shop{DB: w.data.DB, Texts: line}
	if w.unsafe {
		receipt, err = Notify(ctx, "", shop, event)
	} else {
		receipt, err = NotifyOnce(ctx, store, shop, event)
	}
	if line.used {
		w.runs.Add(1)
	}
	return receipt, line.used, err
}

// answer says what came of a delivery, and whether to acknowledge it.
func answer(event ShippedEvent, receipt Receipt, ran bool, err error) Answer {
	var busy *idem.InProgressError
	switch {
	case errors.As(err, &busy):
		return Answer{Event: event.ID, Outcome: "in progress", Detail: fmt.Sprintf("retry after %v", busy.RetryAfter)}
	case err != nil:
		return Answer{Event: event.ID, Outcome: "failed", Detail: err.Error()}
	case ran:
		return Answer{Event: event.ID, Outcome: "ran", Detail: receipt.MessageID, Ack: true}
	}
	return Answer{Event: event.ID, Outcome: "replayed", Detail: receipt.MessageID, Ack: true}
}

// line is one worker's connection to the provider. It tells whether the
// handler ran.
type line struct {
	provider *Provider
	meet     func() // called before the provider is; may be nil
	used     bool
}

func (l *line) Send(ctx context.Context, key, phone, text string) (string, error) {
	l.used = true
	if l.meet != nil {
		l.meet()
	}
	return l.provider.Send(ctx, key, phone, text)
}

// dying is the store of a worker that can claim, and is dead when it comes to
// completing the run.
type dying struct{ idem.Store }

var errDied = errors.New("the worker is dead")

func (dying) Complete(context.Context, idem.Token, idem.Outcome) error { return errDied }
