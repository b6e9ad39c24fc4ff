package protocol

import (
	"context"
	"sync"

	idem "github.com/idemgen/idemgen/runtime"
)

// Many is a table that takes many rows in one round trip, each as the method
// for one row does. Their keys may come in any order, and more than once. After
// an error none of it was done, unless its fate is unknown. InsertAll returns,
// where it can, the run that is in the way of one that it has not inserted.
type Many interface {
	Table
	InsertAll(ctx context.Context, reqs []idem.ClaimRequest) ([]Found, error)
	FindAll(ctx context.Context, keys []idem.Key) ([]Found, error)
	CompleteAll(ctx context.Context, ends []End) ([]bool, error)
}

// Found is what a method for one row returns beside its error.
type Found struct {
	Record idem.Record
	OK     bool
}

// End is the completion of a run.
type End struct {
	Token   idem.Token
	Outcome idem.Outcome
}

// Coalesce returns a table whose inserts, finds and completions go together
// with others that are asked for at the same time, over so many connections. If
// always is set, which is for tests, so do those that are alone.
func Coalesce(t Many, conns int, always bool) Table {
	out := &door{conns: conns}
	return &together{
		Many:      t,
		inserts:   newQueue(t, out, always, &spareInserts, found(t.Insert), t.InsertAll),
		finds:     newQueue(t, out, always, &spareFinds, found(t.Find), t.FindAll),
		completes: newQueue(t, out, always, &spareCompletes, completed(t), t.CompleteAll),
	}
}

type together struct {
	Many
	inserts   *queue[idem.ClaimRequest, Found]
	finds     *queue[idem.Key, Found]
	completes *queue[End, bool]
}

func newQueue[Q, A any](t Table, out *door, always bool, spare *sync.Pool, one func(context.Context, Q) (A, error), all func(context.Context, []Q) ([]A, error)) *queue[Q, A] {
	return &queue[Q, A]{one: one, all: all, always: always, door: out, spare: spare, apart: refused(t)}
}

// refused reports whether each is to be asked alone: the database refused all of
// them, perhaps for one only. With what could not be asked, or came to an end that
// is not known, each has to deal as if it had been alone.
func refused(t Table) func(error) bool {
	return func(err error) bool { return !IsUnsent(err) && t.Fate(err) != Unknown }
}

func completed(t Table) func(context.Context, End) (bool, error) {
	return func(ctx context.Context, e End) (bool, error) { return t.Complete(ctx, e.Token, e.Outcome) }
}

func found[Q any](one func(context.Context, Q) (idem.Record, bool, error)) func(context.Context, Q) (Found, error) {
	return func(ctx context.Context, ask Q) (Found, error) {
		rec, ok, err := one(ctx, ask)
		return Found{rec, ok}, err
	}
}

func (t *together) Insert(ctx context.Context, req idem.ClaimRequest) (idem.Record, bool, error) {
	a := t.inserts.do(ctx, t.inserts.asking(req))
	defer t.inserts.put(a)
	return a.answer.Record, a.answer.OK, a.err
}

func (t *together) Find(ctx context.Context, key idem.Key) (idem.Record, bool, error) {
	a := t.finds.do(ctx, t.finds.asking(key))
	defer t.finds.put(a)
	return a.answer.Record, a.answer.OK, a.err
}

func (t *together) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) (bool, error) {
	a := t.completes.do(ctx, t.completes.asking(End{token, outcome}))
	defer t.completes.put(a)
	return a.answer, a.err
}
