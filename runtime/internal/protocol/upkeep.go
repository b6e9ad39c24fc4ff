package protocol

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// Place is a run, and when it was created in the units of the column: sweeps
// and purges take the oldest first.
type Place struct {
	Key     string
	Created int64
}

// Behind is where a search goes on: with what was created then or later, but
// for some.
type Behind struct {
	Created int64
	Except  []string // not nil
}

// Upkeep is a sweep or a purge, as a table does it. A row whose write the
// database refuses, for a constraint or a trigger of its owner's, or because
// others have it locked, must not stop the rows behind it.
type Upkeep struct {
	// Find returns the oldest runs behind a place that are due for it.
	Find func(ctx context.Context, behind Behind, limit int) ([]Place, error)
	// Write does it to those of some runs that are still due for it, to all
	// of them or, after an error, to none. It returns how many there were.
	Write func(ctx context.Context, keys []string) (int, error)
	// Rows is what the rows are, for errors: runs if it is empty.
	Rows string
}

// upkeepBatch bounds the rows of a statement, and with that how long it holds
// their locks.
const upkeepBatch = 1000

// maxRefusedTold bounds an error's text.
const maxRefusedTold = 3

// Run goes through the runs that are due until it has written limit of them, and
// returns how many it wrote. The error is of rows that were passed over, or it
// is what ended the run before its time.
func (u Upkeep) Run(ctx context.Context, limit int) (n int, err error) {
	behind := Behind{Except: []string{}}
	var refused []error
	for n < limit && err == nil {
		want := min(limit-n, upkeepBatch)
		var found []Place
		if found, err = u.Find(ctx, behind, want); err != nil || len(found) == 0 {
			break
		}
		var written int
		var passed []error
		written, passed, err = u.apart(ctx, keysOf(found))
		n, refused = n+written, append(refused, passed...)
		if len(found) < want {
			break
		}
		behind = behind.next(found, written)
	}
	return n, errors.Join(err, u.passedOver(refused))
}

// next is where a search goes on after a batch. What was written is found no
// more. Where that is not all, as rows were refused or changed meanwhile, none
// of the last moment is to be found again.
func (b Behind) next(found []Place, written int) Behind {
	last := found[len(found)-1].Created
	if last != b.Created {
		b = Behind{Created: last, Except: []string{}}
	}
	if written == len(found) {
		return b
	}
	for _, place := range found {
		if place.Created == last {
			b.Except = append(b.Except, place.Key)
		}
	}
	return b
}

func keysOf(places []Place) []string {
	keys := make([]string, len(places))
	for i, place := range places {
		keys[i] = place.Key
	}
	return keys
}

// apart writes runs together, and in halves where the database refuses them
// together, down to the single ones that are refused alone. What it does even
// without a row to write is nothing that a row is to blame for.
func (u Upkeep) apart(ctx context.Context, keys []string) (n int, refused []error, err error) {
	n, err = u.Write(ctx, keys)
	if err == nil {
		return n, nil, nil
	}
	if _, without := u.Write(ctx, []string{}); without != nil {
		return 0, nil, err
	}
	if len(keys) == 1 {
		return 0, []error{fmt.Errorf("%q: %w", keys[0], err)}, nil
	}
	half := len(keys) / 2
	n, refused, err = u.apart(ctx, keys[:half])
	if err != nil {
		return n, refused, err
	}
	more, others, err := u.apart(ctx, keys[half:])
	return n + more, append(refused, others...), err
}

// passedOver is the error of rows that were refused.
func (u Upkeep) passedOver(refused []error) error {
	if len(refused) == 0 {
		return nil
	}
	told := errors.Join(refused[:min(len(refused), maxRefusedTold)]...)
	return fmt.Errorf("the database refuses to write %d %s, which were passed over: %w", len(refused), cmp.Or(u.Rows, "runs"), told)
}

// BeginTask begins a task unless others have begun it less than a period ago: then
// it returns how long to wait, least at the least. Who finds the task due may
// still find that others were quicker to begin it.
func BeginTask(least time.Duration, wait func() (time.Duration, error), begin func() (int, error)) (time.Duration, error) {
	if left, err := wait(); err != nil || left > 0 {
		return left, err
	}
	if begun, err := begin(); err != nil || begun > 0 {
		return 0, err
	}
	left, err := wait()
	return max(left, least), err
}
