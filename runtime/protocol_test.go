package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// The protocol as a worker sees it, through Claim and Complete on real
// stores. What each statement promises is in package storetest; the
// invariants are numbered as in docs/protocol.md.

func lookup(t *testing.T, db idemtest.DB, key idem.Key) idem.Record {
	t.Helper()
	rec, err := db.Store().Lookup(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	rec.Asked = time.Time{} // the test's own time
	return rec
}

// Invariants 3 and 6: three attempts, one key at
// the provider, one answer for everybody after.
func TestErrorsThenDone(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		w.err = errors.New("timeout")
		for range 2 {
			if _, err := w.deliver(t.Context(), "notify:1"); err != w.err { //nolint:errorlint // the very error
				t.Fatalf("error %v; want the handler's", err)
			}
		}
		w.err = nil
		first, err := w.deliver(t.Context(), "notify:1")
		if err != nil || first.N != 3 {
			t.Fatalf("third delivery: %v, error %v; want the third effect's receipt", first, err)
		}
		stored := lookup(t, db, "notify:1").Result
		for range 3 {
			got, err := w.deliver(t.Context(), "notify:1")
			if err != nil || got != first {
				t.Errorf("duplicate: %v, error %v; want %v", got, err, first)
			}
		}
		if rec := lookup(t, db, "notify:1"); string(rec.Result) != string(stored) || rec.Attempt != 3 {
			t.Errorf("row %+v changed after it was done", rec)
		}
		if fmt.Sprint(w.seen) != "[notify:1 notify:1 notify:1]" {
			t.Errorf("the provider saw %v; want one key three times", w.seen)
		}
	})
}

// Invariant 7: the worker dies at each statement, before or after it took
// effect; the next deliveries finish the work, and nobody is stuck.
func TestDiesAnywhere(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		for _, handlerErr := range []error{nil, errors.New("timeout")} {
			for calls := 1; calls <= 3; calls++ {
				for _, happen := range []bool{false, true} {
					key := idem.Key(fmt.Sprintf("notify:%v,%d,%v", handlerErr, calls, happen))
					diesAt(t, db, key, handlerErr, &crashed{Store: db.Store(), calls: calls, happen: happen})
				}
			}
		}
	})
}

func diesAt(t *testing.T, db idemtest.DB, key idem.Key, handlerErr error, store *crashed) {
	t.Helper()
	w := newWorker(store)
	w.err = handlerErr
	told, err := w.deliver(t.Context(), key)
	acknowledged := err == nil
	w.store, w.err = db.Store(), nil
	got, err := w.deliver(t.Context(), key)
	var busy *idem.InProgressError
	if errors.As(err, &busy) {
		if busy.RetryAfter <= 0 || busy.RetryAfter > w.spec.Lease {
			t.Errorf("%s: retry after %v; want within the lease", key, busy.RetryAfter)
		}
		db.Advance(busy.RetryAfter)
		got, err = w.deliver(t.Context(), key)
	}
	if err != nil || (acknowledged && got != told) {
		t.Errorf("%s: %v, error %v; the dead worker had told %v", key, got, err, told)
	}
	again, err := w.deliver(t.Context(), key)
	if err != nil || again != got {
		t.Errorf("%s: duplicate %v, error %v; want %v", key, again, err, got)
	}
	for _, seen := range w.seen {
		if seen != key {
			t.Errorf("%s: the provider saw %q", key, seen)
		}
	}
}

// Invariants 1 and 2: whoever lost the lease changes nothing.
func TestZombie(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		for _, zombieErr := range []error{nil, errors.New("timeout"), idem.Permanent(errors.New("no"))} {
			key := idem.Key(fmt.Sprintf("notify:%v", zombieErr))
			w := newWorker(db.Store())
			zombie, err := idem.Claim[receipt](t.Context(), db.Store(), w.spec, key)
			if err != nil {
				t.Fatal(err)
			}
			db.Advance(w.spec.Lease)
			second, err := idem.Claim[receipt](t.Context(), db.Store(), w.spec, key)
			if err != nil {
				t.Fatalf("%v: the lease is over: %v", zombieErr, err)
			}
			held := lookup(t, db, key)
			if _, err := zombie.Complete(receipt{ID: "zombie"}, zombieErr); !errors.Is(err, idem.ErrLeaseLost) {
				t.Errorf("%v: the zombie's error: %v; want ErrLeaseLost", zombieErr, err)
			}
			if now := lookup(t, db, key); fmt.Sprint(now) != fmt.Sprint(held) {
				t.Errorf("%v: row %+v; want it as the second claim left it: %+v", zombieErr, now, held)
			}
			if _, err := second.Complete(receipt{ID: "second"}, nil); err != nil {
				t.Errorf("%v: the holder's completion: %v", zombieErr, err)
			}
			got, err := w.deliver(t.Context(), key)
			if err != nil || got.ID != "second" {
				t.Errorf("%v: duplicate %v, error %v; want the holder's receipt", zombieErr, got, err)
			}
		}
	})
}

// Invariants 4 and 5: a job that keeps dying is tried as often as allowed and
// is then dead, for all to see.
func TestKeepsDying(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(&crashed{Store: db.Store()})
		for attempt := 1; attempt <= w.spec.Attempts; attempt++ {
			w.store = &crashed{Store: db.Store(), calls: 2}
			if _, err := w.deliver(t.Context(), "notify:1"); !errors.Is(err, errCrashed) {
				t.Fatalf("attempt %d: error %v", attempt, err)
			}
			if rec := lookup(t, db, "notify:1"); rec.Attempt != attempt || rec.Status != idem.StatusRunning {
				t.Fatalf("attempt %d: row %+v", attempt, rec)
			}
			db.Advance(w.spec.Lease)
		}
		w.store = db.Store()
		for range 2 {
			if _, err := w.deliver(t.Context(), "notify:1"); !errors.Is(err, idem.ErrDead) {
				t.Errorf("error %v; want ErrDead", err)
			}
		}
		if rec := lookup(t, db, "notify:1"); rec.Status != idem.StatusDead || rec.Error == "" || len(w.seen) != w.spec.Attempts {
			t.Errorf("row %+v after %d runs; want dead, with an error, after %d", rec, len(w.seen), w.spec.Attempts)
		}
	})
}

func TestKeepsFailing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		w.err = errors.New("timeout")
		for range w.spec.Attempts {
			_, _ = w.deliver(t.Context(), "notify:1")
		}
		_, err := w.deliver(t.Context(), "notify:1")
		if !errors.Is(err, idem.ErrDead) || !strings.Contains(err.Error(), "timeout") || len(w.seen) != w.spec.Attempts {
			t.Errorf("error %v after %d runs; want ErrDead with the last error after %d", err, len(w.seen), w.spec.Attempts)
		}
	})
}

// A permanent failure is the outcome, for every duplicate.
func TestPermanentFailure(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		w.err = idem.Permanent(errors.New("no such number"))
		_, _ = w.deliver(t.Context(), "notify:1")
		var failed *idem.FailedError
		if _, err := w.deliver(t.Context(), "notify:1"); !errors.As(err, &failed) || failed.Text != "no such number" || len(w.seen) != 1 {
			t.Errorf("error %v after %d runs; want the stored failure after one", err, len(w.seen))
		}
		w.err = context.Canceled
		_, _ = w.deliver(t.Context(), "notify:2")
		w.err = nil
		if got, err := w.deliver(t.Context(), "notify:2"); err != nil || got.N != 3 {
			t.Errorf("after a cancellation: %v, error %v; want a second run", got, err)
		}
	})
}

// Invariant 10: the caller gives up exactly as the handler returns.
func TestCancelledAsTheHandlerReturns(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		ctx, cancel := context.WithCancel(t.Context())
		run, err := idem.Claim[receipt](ctx, w.store, w.spec, "notify:1")
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := run.Complete(receipt{ID: "r"}, nil); err != nil {
			t.Errorf("completion: %v", err)
		}
		if got, err := w.deliver(t.Context(), "notify:1"); err != nil || got.ID != "r" || w.seen != nil {
			t.Errorf("duplicate: %v, error %v, runs %v; want the stored receipt", got, err, w.seen)
		}
	})
}

// Invariant 8: the worker's clock may be years off.
func TestClocksApart(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		for i, off := range []time.Duration{-20 * 365 * 24 * time.Hour, 40 * 365 * 24 * time.Hour} {
			db.Advance(off)
			key := idem.Key(fmt.Sprintf("notify:%d", i))
			w := newWorker(db.Store())
			run, err := idem.Claim[receipt](t.Context(), w.store, w.spec, key)
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Context().Err(); err != nil {
				t.Errorf("database's clock off by %v: the run's context has ended: %v", off, err)
			}
			db.Advance(w.spec.Lease - time.Millisecond)
			var busy *idem.InProgressError
			if _, err := w.deliver(t.Context(), key); !errors.As(err, &busy) || busy.RetryAfter != time.Millisecond {
				t.Errorf("1 ms before the end of the lease: error %v; want retry after 1ms", err)
			}
			db.Advance(2 * time.Millisecond)
			if _, err := w.deliver(t.Context(), key); err != nil {
				t.Errorf("1 ms after the end of the lease: %v", err)
			}
		}
	})
}

// Two handlers with one key value, the first crashed midway or done.
func TestKeyOfAnotherHandler(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		charge := newWorker(&crashed{Store: db.Store(), calls: 2})
		charge.spec.Handler = "charge"
		_, _ = charge.deliver(t.Context(), "1") // dies before its completion
		notify := newWorker(db.Store())
		db.Advance(notify.spec.Lease)
		for range 2 {
			if got, err := notify.deliver(t.Context(), "1"); !errors.Is(err, idem.ErrKeyReuse) || got != (receipt{}) {
				t.Errorf("got %v, error %v; want ErrKeyReuse", got, err)
			}
			charge.store = db.Store()
			if _, err := charge.deliver(t.Context(), "1"); err != nil {
				t.Errorf("the key's own handler: %v", err)
			}
		}
		if notify.seen != nil {
			t.Errorf("the other handler ran: %v", notify.seen)
		}
	})
}

// Too large to be stored, and never run again.
func TestResultTooLarge(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		runs := 0
		deliver := func(size int) (string, error) {
			run, err := idem.Claim[string](t.Context(), db.Store(), leased, idem.Key(fmt.Sprintf("notify:%d", size)))
			if err != nil {
				return "", err
			}
			if got, ok := run.Replay(); ok {
				return got, nil
			}
			defer run.Close()
			runs++
			return run.Complete(strings.Repeat("x", size), nil)
		}
		const fits = idem.MaxResultBytes - 2 // quotes
		for range 2 {
			if got, err := deliver(fits); err != nil || len(got) != fits {
				t.Errorf("at the limit: %d bytes, error %v", len(got), err)
			}
		}
		if _, err := deliver(fits + 1); err != nil {
			t.Errorf("over the limit, first delivery: %v", err)
		}
		if _, err := deliver(fits + 1); !errors.Is(err, idem.ErrResultNotStored) {
			t.Errorf("over the limit, duplicate: error %v; want ErrResultNotStored", err)
		}
		if runs != 2 {
			t.Errorf("%d runs; want 2", runs)
		}
	})
}
