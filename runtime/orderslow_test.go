package runtime_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/internal/runstable"
)

// slowOrder is a store whose entity's row is locked by somebody: what it is asked
// takes its time, or as long as the asker has.
type slowOrder struct {
	idem.OrderStore
	entered                idem.Entity // if it is not the asker's
	leave, apply, complete time.Duration
	lost                   bool // by the time it is to be applied
	ends                   []string
}

func (s *slowOrder) Claim(_ context.Context, req idem.ClaimRequest) (idem.Record, error) {
	return running(req, req.Owner), nil
}

func (s *slowOrder) Enter(_ context.Context, req idem.EntityRequest) (idem.Entity, error) {
	if s.entered.Name != "" {
		return s.entered, nil
	}
	return idem.Entity{Handler: req.Handler, Name: req.Entity, Lease: 1, Owner: req.Owner, Held: true, Remaining: req.Lease}, nil
}

func (s *slowOrder) Apply(ctx context.Context, _ idem.EntityToken, _ int64) error {
	if err := takes(ctx, s.apply); err != nil || !s.lost {
		return err
	}
	return idem.ErrLeaseLost
}

func (s *slowOrder) Leave(ctx context.Context, _ idem.EntityToken) error { return takes(ctx, s.leave) }

func (s *slowOrder) Complete(ctx context.Context, _ idem.Token, o idem.Outcome) error {
	return s.ended(ctx, string(o.Status))
}

func (s *slowOrder) Release(ctx context.Context, _ idem.Token, r idem.Release) error {
	return s.ended(ctx, r.Error)
}

func (s *slowOrder) ended(ctx context.Context, how string) error {
	if err := takes(ctx, s.complete); err != nil {
		return err
	}
	s.ends = append(s.ends, how)
	return nil
}

func takes(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return ctx.Err()
	}
}

// What comes of a run is recorded, however long its entity keeps it waiting before.
func TestOrderEndsApart(t *testing.T) {
	down := errors.New("the provider is down")
	for _, tt := range []struct {
		name, ends string
		store      slowOrder
		err        error
		want       error
	}{
		{"failed", "failed", slowOrder{leave: time.Hour, complete: 20 * time.Second}, idem.Permanent(down), idem.ErrFailed},
		{"error", "the provider is down", slowOrder{leave: time.Hour, complete: 20 * time.Second}, down, down},
		{"hold", "the provider is down", slowOrder{leave: time.Hour, complete: 20 * time.Second}, idem.RetryAfter(time.Second, down), idem.ErrInProgress},
		{"done", "done", slowOrder{apply: 29 * time.Second, complete: 20 * time.Second}, nil, nil},
		{"lost", "entity account:7: lease lost", slowOrder{apply: 29 * time.Second, complete: 2 * time.Second, lost: true}, nil, idem.ErrLeaseLost},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := idem.Spec{Handler: "deposit", Lease: 5 * time.Minute, Attempts: 3, Ordered: true}
			run, err := idem.Claim[receipt](t.Context(), &tt.store, spec, "deposit:7:2", depositOrder("7", 2))
			if err != nil {
				t.Fatal(err)
			}
			_, err = run.Complete(receipt{}, tt.err)
			if !errors.Is(err, tt.want) || errors.Is(err, context.DeadlineExceeded) || strings.Join(tt.store.ends, "; ") != tt.ends {
				t.Errorf("%s: got %v, and recorded %q; want %q", tt.name, err, tt.store.ends, tt.ends)
			}
		})
	}
}

// Who finds an entity that can be entered, and has others enter it first, time and
// again, does not take it for held by whoever was there before.
func TestOrderOvertaken(t *testing.T) {
	spec := idem.Spec{Handler: "deposit", Lease: time.Minute, Attempts: 3, Ordered: true}
	for _, entity := range []idem.Entity{
		{Name: "account:7", Key: "deposit:7:1"},
		{Name: "account:7", Key: "deposit:7:1", Held: true},
	} {
		store := &slowOrder{entered: entity}
		_, err := idem.Claim[receipt](t.Context(), store, spec, "deposit:7:2", depositOrder("7", 2))
		var busy *idem.InProgressError
		if !errors.As(err, &busy) || busy.RetryAfter != spec.Lease/10 || strings.Join(store.ends, "; ") != "entity account:7 is entered by others each time" {
			t.Errorf("got %v, and recorded %q", err, store.ends)
		}
	}
}

// A run that waits for its entity keeps the error that it had failed with, so that
// whoever finds it dead is told that.
func TestOrderBusyKeepsTheError(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newOrderWorker(t, db, false)
		want := func(what, text string) {
			t.Helper()
			if rec := lookup(t, db, depositKey("7", 3)); rec.Error != text || rec.Status != idem.StatusWaiting {
				t.Errorf("%s: the row is %+v; want %q", what, rec, text)
			}
		}
		deliver := func(handle func(context.Context) error) { _, _ = w.deliver(t.Context(), "7", 3, handle) }
		for _, version := range []int64{1, 2} {
			first := w.begin("7", version)
			deliver(succeed)
			want("before it ever ran", "entity account:7 is held by "+string(depositKey("7", version)))
			if _, err := first.Complete(receipt{}, nil); err != nil {
				t.Error(err)
			}
		}
		deliver(fails(errDown))
		want("after it ran", errDown.Error())
		holder := w.begin("7", 2+2)
		deliver(succeed)
		want("beside another", errDown.Error())
		if _, err := holder.Complete(receipt{}, idem.Permanent(errDown)); !errors.Is(err, idem.ErrFailed) {
			t.Error(err)
		}
		w.apply("7", 3)
	})
}

// beforeStale is the migration of a table that knows no stale runs.
func beforeStale(t *testing.T, dialect string) string {
	t.Helper()
	path := runstable.Migration(t, dialect, "job_runs")
	up, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		t.Fatal(err)
	}
	old := strings.ReplaceAll(string(up), "'failed', 'stale', 'dead'", "'failed', 'dead'")
	if old == string(up) {
		t.Fatal("the migration does not say which states there are")
	}
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A run whose end the database refuses does not keep its key, and its row says why;
// the program's text of errors is that of this one, too.
func TestOrderEndIsRefused(t *testing.T) {
	for dialect, open := range databases {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			db := open(beforeStale(t, dialect), runstable.Order(t, dialect, "job_runs"))(t)
			w := newOrderWorker(t, db, false)
			w.apply("7", 2)
			for n := range 2 * w.spec.Attempts {
				_, err := w.deliver(t.Context(), "7", 1, succeed)
				if err == nil || errors.Is(err, idem.ErrInProgress) || errors.Is(err, idem.ErrDead) {
					t.Fatalf("got %v", err)
				}
				w.wantRow("refused", depositKey("7", 1), idem.StatusWaiting, n+2, n+1)
				if rec := lookup(t, db, depositKey("7", 1)); rec.Error == "" || !strings.Contains(err.Error(), rec.Error) {
					t.Errorf("the row says %q; want %v", rec.Error, err)
				}
			}
			w.store = idem.Configure(w.store, idem.WithErrorText(func(error) string { return "sealed" }))
			_, _ = w.deliver(t.Context(), "7", 1, succeed)
			if rec := lookup(t, db, depositKey("7", 1)); rec.Error != "sealed" {
				t.Errorf("the row says %q", rec.Error)
			}
			inTx := newOrderWorker(t, db, true)
			if _, err := inTx.deliver(t.Context(), "7", 0, succeed); err == nil || errors.Is(err, idem.ErrInProgress) {
				t.Errorf("in a transaction: %v", err)
			}
			if _, err := db.Store().Lookup(t.Context(), depositKey("7", 0)); !errors.Is(err, idem.ErrNotFound) {
				t.Errorf("in a transaction something stays: %v", err)
			}
			if inTx.ran != nil || len(w.ran) != 1 {
				t.Error("a stale version ran")
			}
		})
	}
}
