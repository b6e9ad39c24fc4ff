package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// begin claims a version whose handler takes its time.
func (w *orderWorker) begin(entity string, version int64) *idem.Run[receipt] {
	w.t.Helper()
	run, err := idem.Claim[receipt](w.t.Context(), w.store, w.spec, depositKey(entity, version), depositOrder(entity, version))
	if err != nil {
		w.t.Fatal(err)
	}
	return run
}

// An entity that another run holds is waited for by holds, which do not count,
// however many; the delivery is told to come back soon.
func TestOrderBusy(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newOrderWorker(t, db, false)
		first := w.begin("7", 2)
		for n := range 2 * w.spec.Attempts {
			_, err := w.deliver(t.Context(), "7", 3, succeed)
			var busy *idem.InProgressError
			if !errors.As(err, &busy) || busy.RetryAfter != w.spec.Lease/10 || busy.Key != depositKey("7", 3) {
				t.Errorf("got %v; want to come back in a tenth of the lease", err)
			}
			w.wantRow("busy", depositKey("7", 3), idem.StatusWaiting, n+2, n+1)
		}
		if rec := lookup(t, db, depositKey("7", 3)); rec.Error != "entity account:7 is held by deposit:7:2" || rec.Remaining > 0 {
			t.Errorf("the row is %+v", rec)
		}
		db.Advance(w.spec.Lease - time.Second)
		_, err := w.deliver(t.Context(), "7", 3, succeed)
		var busy *idem.InProgressError
		if !errors.As(err, &busy) || busy.RetryAfter != time.Second {
			t.Errorf("a second before the end of the lease: %v", err)
		}
		if _, err := first.Complete(receipt{}, nil); err != nil || w.ran != nil {
			t.Errorf("the holder: %v; %v were run beside it", err, w.ran)
		}
		w.apply("7", 3)
		w.wantEntity("at last", "7", 3, false)
	})
}

// In a transaction it is the entity's lock that is waited for, for as long as the
// lock timeout says; then all is as before.
func TestOrderLocked(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newOrderWorker(t, db, true)
		tx := newTxWorker(t, db)
		for _, version := range []int64{2, 5} {
			_, err := w.deliver(t.Context(), "7", version, func(context.Context) error {
				other := newOrderWorker(t, db, true)
				other.store = tx.patient(20 * time.Millisecond)
				_, err := other.deliver(t.Context(), "7", version+1, succeed)
				var busy *idem.InProgressError
				if !errors.As(err, &busy) || busy.RetryAfter != 20*time.Millisecond || other.ran != nil {
					t.Errorf("beside the handler: got %v after %v", err, other.ran)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if rec, err := db.Store().Lookup(t.Context(), depositKey("7", version+1)); !errors.Is(err, idem.ErrNotFound) {
				t.Errorf("who came back has left %+v, %v", rec, err)
			}
		}
		tx.want("after all", "none", 0)
		// A run under a lease, of before the handler took a transaction.
		leases := newOrderWorker(t, db, false)
		first := leases.begin("7", 7)
		var busy *idem.InProgressError
		if _, err := w.deliver(t.Context(), "7", 8, succeed); !errors.As(err, &busy) || busy.RetryAfter != w.spec.Lease/10 {
			t.Errorf("beside a lease: %v", err)
		}
		tx.want("beside a lease", "none", 0)
		if _, err := first.Complete(receipt{}, nil); err != nil {
			t.Error(err)
		}
		w.apply("7", 8)
	})
}

// The entity of a worker that died is there for the next when the lease is over,
// whichever version that is.
func TestOrderTakeover(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newOrderWorker(t, db, false)
		for i, version := range []int64{1, 2, 3} {
			entity := fmt.Sprint(i)
			zombie := w.begin(entity, 2)
			db.Advance(w.spec.Lease)
			w.apply(entity, version)
			w.wantEntity("taken over", entity, version, false)
			if _, err := zombie.Complete(receipt{}, nil); !errors.Is(err, idem.ErrLeaseLost) {
				t.Errorf("the zombie got %v", err)
			}
			w.wantEntity("after the zombie", entity, version, false)
		}
		w.wantRow("fenced off at the entity", depositKey("0", 2), idem.StatusWaiting, 2, 0)
		if rec := lookup(t, db, depositKey("0", 2)); rec.Error != "entity account:0: lease lost" {
			t.Errorf("the row is %+v", rec)
		}
		w.apply("0", 2)
		w.wantRow("its own version", depositKey("1", 2), idem.StatusDone, 2, 0)
		w.wantStale("2", 2, 3)
	})
}

// A lease of the entity that is lost is found by the next beat, and ends the
// handler's context.
func TestOrderLoserIsToldByItsBeat(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newOrderWorker(t, db, false)
		w.spec.Lease = 3 * time.Second
		run := w.begin("7", 2)
		db.Exec(t, "UPDATE job_runs_order SET lease = lease + 1")
		<-run.Context().Done()
		if cause := context.Cause(run.Context()); cause != idem.ErrLeaseLost { //nolint:errorlint // the very error
			t.Errorf("cause %v", cause)
		}
		if _, err := run.Complete(receipt{}, nil); !errors.Is(err, idem.ErrLeaseLost) {
			t.Errorf("the loser got %v", err)
		}
		w.wantEntity("after it", "7", -1, true)
	})
}

// A handler that takes three times its lease keeps its entity as it keeps its key.
func TestOrderLongHandler(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newOrderWorker(t, db, false)
		w.spec.Lease = 9 * time.Second
		beat := make(chan struct{})
		w.store = keeping{w.store.(idem.OrderStore), beat}
		run := w.begin("7", 2)
		other := newOrderWorker(t, db, false)
		for range 4 {
			db.Advance(w.spec.Lease * 2 / 3)
			for _, version := range []int64{1, 2, 3} {
				if _, err := other.deliver(t.Context(), "7", version, succeed); !errors.Is(err, idem.ErrInProgress) {
					t.Errorf("version %d while the handler works: %v", version, err)
				}
			}
			select {
			case <-beat:
			case <-run.Context().Done():
				t.Fatal(context.Cause(run.Context()))
			}
		}
		if _, err := run.Complete(receipt{}, nil); err != nil || other.ran != nil {
			t.Errorf("got %v; %v were run", err, other.ran)
		}
	})
}

// keeping tells of each beat that was made.
type keeping struct {
	idem.OrderStore
	beat chan struct{}
}

func (k keeping) Keep(ctx context.Context, token idem.EntityToken, lease time.Duration) error {
	err := k.OrderStore.Keep(ctx, token, lease)
	if err == nil {
		k.beat <- struct{}{}
	}
	return err
}

// What observers and logs are told: a stale run is not one to be delivered again.
func TestOrderIsObserved(t *testing.T) {
	eachOrder(t, func(t *testing.T, w *orderWorker) {
		var lines bytes.Buffer
		w.store = idem.Configure(w.store, idem.WithLogger(slog.New(slog.NewTextHandler(&lines, nil))))
		w.apply("7", 2)
		w.wantStale("7", 1, 2)
		if n := strings.Count(lines.String(), "outcome=stale"); n != 3 || strings.Contains(lines.String(), "level=WARN") {
			t.Errorf("want 3 lines that say so, and no warning:\n%s", lines.String())
		}
	})
}

// Entities of a handler go with its runs.
func TestOrderIsPurged(t *testing.T) {
	eachOrder(t, func(t *testing.T, w *orderWorker) {
		w.spec.Retain = time.Hour
		w.apply("7", 2)
		w.wantStale("7", 1, 2)
		w.db.Advance(time.Hour / 2)
		w.apply("8", 5)
		w.db.Advance(time.Hour/2 + time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		observer := maintained{make(chan idem.Maintenance, 9)}
		ended := make(chan error)
		go func() {
			ended <- idem.Maintain(ctx, idem.Configure(w.store, idem.WithObserver(observer)), []idem.Spec{w.spec}, idem.SweepEvery(0), idem.PurgeEvery(time.Millisecond))
		}()
		if m := <-observer.told; m.Task != "purge:deposit" || m.Rows != 3 || m.Err != nil {
			t.Errorf("got %+v; want two runs and an entity deleted", m)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		w.wantEntity("young", "8", 5, false)
		w.apply("7", 1) // as if it were the first
	})
}

// maintained is told of maintenance.
type maintained struct{ told chan idem.Maintenance }

func (maintained) Received(context.Context, idem.Job)        {}
func (maintained) Ended(context.Context, idem.Job, idem.End) {}
func (maintained) LeaseLost(context.Context, idem.Job)       {}

func (m maintained) Maintained(_ context.Context, told idem.Maintenance) {
	select {
	case m.told <- told:
	default: // more than the test looks at
	}
}
