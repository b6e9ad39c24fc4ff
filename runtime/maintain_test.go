package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// keeper is a store that only keeps its table, by the clock of synctest.
type keeper struct {
	idem.Store
	mu    sync.Mutex
	last  map[string]time.Time
	begun map[string]int
	ended []string
	sweep func(ctx context.Context, limit int) (int, error)
	purge func(ctx context.Context, handler string, retain time.Duration, limit int) (int, error)
	begin func(task string) error
}

func newKeeper() *keeper {
	return &keeper{
		last: map[string]time.Time{}, begun: map[string]int{},
		sweep: func(context.Context, int) (int, error) { return 0, nil },
		purge: func(context.Context, string, time.Duration, int) (int, error) { return 0, nil },
		begin: func(string) error { return nil },
	}
}

func (k *keeper) Sweep(ctx context.Context, limit int) (int, error) { return k.sweep(ctx, limit) }

func (k *keeper) Purge(ctx context.Context, handler string, retain time.Duration, limit int) (int, error) {
	return k.purge(ctx, handler, retain, limit)
}

func (k *keeper) BeginTask(_ context.Context, task string, period time.Duration) (time.Duration, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.begin(task); err != nil {
		return 0, err
	}
	if wait := time.Until(k.last[task].Add(period)); wait > 0 {
		return wait, nil
	}
	k.last[task] = time.Now()
	k.begun[task]++
	return 0, nil
}

func (k *keeper) EndTask(ctx context.Context, task string, rows int, failure string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	k.ended = append(k.ended, fmt.Sprintf("%s %d %s", task, rows, failure))
	return nil
}

func (k *keeper) Health(context.Context, []idem.Spec) (idem.Health, error) {
	return idem.Health{Dead: 7}, nil
}

func (k *keeper) Undelivered(context.Context, string, idem.Undelivered, int) ([]idem.Undelivered, error) {
	return nil, nil
}

var kept = []idem.Spec{{Handler: "notify", Retain: time.Hour}, {Handler: "charge", Retain: 2 * time.Hour}, {Handler: "forever"}}

// maintain runs replicas for a time.
func maintain(t *testing.T, store idem.Store, replicas int, d time.Duration, opts ...idem.MaintainOption) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	var all sync.WaitGroup
	for range replicas {
		all.Go(func() {
			if err := idem.Maintain(ctx, store, kept, opts...); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Replicas share the load of one, and each task has its turn in each period.
func TestMaintainInManyReplicas(t *testing.T) {
	for _, replicas := range []int{1, 20} {
		synctest.Test(t, func(t *testing.T) {
			k := newKeeper()
			maintain(t, k, replicas, 10*time.Hour)
			for task, period := range map[string]time.Duration{"sweep": 30 * time.Second, "purge:notify": 10 * time.Minute, "purge:charge": 10 * time.Minute} {
				most := int(10*time.Hour/period) + 1
				if n := k.begun[task]; n > most || n < most*9/10 {
					t.Errorf("%d replicas: %s was begun %d times, want a tenth less than %d at the least", replicas, task, n, most)
				}
			}
			if len(k.begun) != 3 {
				t.Errorf("began %v", k.begun)
			}
		})
	}
}

func TestMaintainOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper()
		maintain(t, k, 1, time.Hour, idem.SweepEvery(0), idem.PurgeEvery(time.Minute))
		if n := k.begun["purge:notify"]; k.begun["sweep"] > 0 || n < 54 || n > 61 {
			t.Errorf("began %v", k.begun)
		}
		k = newKeeper()
		maintain(t, k, 1, time.Hour, idem.SweepEvery(time.Minute), idem.PurgeEvery(0))
		if n := k.begun["sweep"]; len(k.begun) != 1 || n < 54 || n > 61 {
			t.Errorf("began %v", k.begun)
		}
	})
}

// upkeepTold keeps what observers are told of maintenance.
type upkeepTold struct {
	idem.Observer
	mu   sync.Mutex
	list []string
}

func (o *upkeepTold) Maintained(_ context.Context, m idem.Maintenance) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, fmt.Sprintf("%s %d %v %q", m.Task, m.Rows, m.Err, m.Text))
}

func TestMaintainGoesOnAfterErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, o := newKeeper(), &upkeepTold{}
		begins, sweeps := 0, 0
		k.begin = func(string) error {
			if begins++; begins == 1 {
				return errors.New("no connection")
			}
			return nil
		}
		k.sweep = func(context.Context, int) (int, error) {
			if sweeps++; sweeps == 1 {
				return 3, errors.New("a secret is refused")
			}
			return 5, nil
		}
		store := idem.Configure(k, idem.WithObserver(o), idem.WithErrorText(func(err error) string {
			return strings.ReplaceAll(err.Error(), "secret", "***")
		}))
		maintain(t, store, 1, 80*time.Second, idem.PurgeEvery(0))
		if diff := cmp.Diff([]string{`sweep 0 no connection "no connection"`, `sweep 3 a secret is refused "a *** is refused"`, `sweep 5 <nil> ""`}, o.list); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"sweep 3 a *** is refused", "sweep 5 "}, k.ended); diff != "" {
			t.Error(diff)
		}
	})
}

// What is more than fits into a period goes on in the next, which any replica
// may begin; and a purge that takes long keeps no sweep waiting.
func TestMaintainABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper()
		left, steps, atOnce := 400_000, 0, 0
		var mu sync.Mutex
		k.purge = func(_ context.Context, handler string, _ time.Duration, limit int) (int, error) {
			if handler != "notify" {
				return 0, nil
			}
			mu.Lock()
			steps, atOnce = steps+1, atOnce+1
			if atOnce > 1 {
				t.Error("two purges at once")
			}
			n := min(limit, left)
			left -= n
			mu.Unlock()
			time.Sleep(time.Minute)
			mu.Lock()
			atOnce--
			mu.Unlock()
			return n, nil
		}
		maintain(t, k, 3, time.Hour)
		if left > 0 || k.begun["purge:notify"] < 4 || k.begun["purge:notify"] > 7 || k.begun["sweep"] < 108 {
			t.Errorf("%d are left after %d steps in %v", left, steps, k.begun)
		}
	})
}

// A task that the program's end interrupts is recorded, and is no failure.
func TestMaintainEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper()
		k.sweep = func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			return 4, ctx.Err()
		}
		start := time.Now()
		maintain(t, k, 1, time.Hour)
		if d := time.Since(start); d != time.Hour {
			t.Errorf("it ended after %v", d)
		}
		if diff := cmp.Diff([]string{"sweep 4 "}, slices.DeleteFunc(k.ended, func(end string) bool { return !strings.HasPrefix(end, "sweep") })); diff != "" {
			t.Error(diff)
		}
	})
}

// On real databases: what is overdue is done, recorded and told.
func TestMaintainADatabase(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		for _, key := range []idem.Key{"notify:old", "notify:dead worker"} {
			req := idem.ClaimRequest{Key: key, Handler: "notify", Owner: idem.NewOwner(), Lease: time.Minute, Attempts: 3}
			rec, err := db.Store().Claim(t.Context(), req)
			if err == nil && key == "notify:old" {
				err = db.Store().Complete(t.Context(), rec.Token(), idem.Outcome{Status: idem.StatusDone})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		db.Advance(90 * time.Minute)
		before, err := idem.HealthOf(t.Context(), db.Store(), kept)
		if err != nil || before.Tasks[0].Overdue != 1 || before.Tasks[1].Overdue != 1 || before.Err() == nil {
			t.Errorf("before: %+v, %v", before, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		three := &countdown{left: 3, done: cancel}
		store := idem.Configure(db.Store(), idem.WithObserver(three))
		if err := idem.Maintain(ctx, store, kept, idem.SweepEvery(time.Millisecond), idem.PurgeEvery(time.Millisecond)); err != nil {
			t.Error(err)
		}
		after, err := idem.HealthOf(t.Context(), store, kept)
		if err != nil || after.Err() != nil || after.Tasks[0].Rows != 1 || after.Tasks[1].Rows != 1 || after.Tasks[2].Rows != 0 {
			t.Errorf("after: %+v, %v", after, err)
		}
		if n := db.Count(t, "SELECT count(*) FROM job_runs WHERE status = 'waiting'"); n != 1 {
			t.Errorf("%d runs wait", n)
		}
	})
}

// countdown ends a program after so many tasks. The database's clock stands
// still, so each is begun once.
type countdown struct {
	idem.Observer
	mu   sync.Mutex
	left int
	done func()
}

func (c *countdown) Maintained(context.Context, idem.Maintenance) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		c.done()
	}
}

func TestMaintainRefuses(t *testing.T) {
	var plain struct{ idem.Store }
	if err := idem.Maintain(t.Context(), plain, kept); err == nil || !strings.Contains(err.Error(), "is no idem.Maintainer") {
		t.Errorf("got %v", err)
	}
	if _, err := idem.HealthOf(t.Context(), plain, kept); err == nil || !strings.Contains(err.Error(), "is no idem.Maintainer") {
		t.Errorf("got %v", err)
	}
	twice := append(slices.Clone(kept), idem.Spec{Handler: "notify", Retain: 3 * time.Hour})
	if err := idem.Maintain(t.Context(), newKeeper(), twice); err == nil || !strings.Contains(err.Error(), "two specs of handler notify") {
		t.Errorf("got %v", err)
	}
	for _, ordered := range []bool{false, true} {
		half := []idem.Spec{{Handler: "deposit", Retain: time.Hour, Ordered: ordered}, {Handler: "deposit", Retain: time.Hour, Ordered: !ordered}}
		if err := idem.Maintain(t.Context(), newKeeper(), half); err == nil || !strings.Contains(err.Error(), "two specs of handler deposit, of which one is Ordered") {
			t.Errorf("got %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := idem.Maintain(ctx, newKeeper(), append(kept, kept...)); err != nil {
		t.Errorf("the same specs again: %v", err)
	}
}

func TestMaintainLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		k := newKeeper()
		results := []struct {
			rows int
			err  error
		}{{0, nil}, {2, nil}, {1, errors.New("refused")}}
		n := 0
		k.sweep = func(context.Context, int) (int, error) { n++; return results[(n-1)%3].rows, results[(n-1)%3].err }
		maintain(t, idem.Configure(k, idem.WithLogger(logger)), 1, 100*time.Second, idem.PurgeEvery(0))
		want := "level=INFO msg=maintenance task=sweep rows=2 duration=0s\nlevel=WARN msg=maintenance task=sweep rows=1 duration=0s error=refused\n"
		if diff := cmp.Diff(want, lines.String()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestHealthErr(t *testing.T) {
	sweep := idem.TaskHealth{Task: "sweep", Ran: true, Period: time.Minute, Ago: 2 * time.Minute}
	with := func(change func(*idem.TaskHealth)) idem.TaskHealth { h := sweep; change(&h); return h }
	cases := []struct {
		health idem.TaskHealth
		want   string
	}{
		{sweep, ""},
		{idem.TaskHealth{Task: "sweep"}, ""}, // nobody began it, and nobody had to
		{with(func(h *idem.TaskHealth) { h.Ago++ }), "idem: sweep has stopped: the last one ended 2m0.000000001s ago, and the period is 1m0s; 0 runs are overdue"},
		{with(func(h *idem.TaskHealth) { h.Error = "no" }), "idem: sweep fails, and 0 runs are overdue: no"},
		{with(func(h *idem.TaskHealth) { h.Overdue = 3 }), "idem: sweep does not keep up, or nobody does it: 3 runs are overdue"},
		{idem.TaskHealth{Task: "purge:notify", Overdue: 4}, "idem: purge:notify does not keep up, or nobody does it: 4 runs are overdue"},
	}
	for _, c := range cases {
		err := idem.Health{Dead: 9, Tasks: []idem.TaskHealth{{Task: "fine"}, c.health}}.Err()
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
			t.Errorf("%+v: %v", c.health, err)
		}
	}
	if h, err := idem.HealthOf(t.Context(), idem.Configure(newKeeper()), kept); err != nil || h.Dead != 7 {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestSchemaError(t *testing.T) {
	for found, want := range map[int]string{
		0: "idem: table job_runs has schema no version, and this program is for version 3: apply the migrations that idemgen generate wrote, or, if they were and only the version was lost on the way, write it again as they do",
		2: "idem: table job_runs has schema version 2, and this program is for version 3: run idemgen generate, and apply the migration that it writes",
		4: "idem: table job_runs has schema version 4, and this program is for version 3: build the program with the idemgen that wrote the migrations: go get github.com/idemgen/idemgen@latest",
	} {
		if got := (&idem.SchemaError{Table: "job_runs", Found: found, Want: 3}).Error(); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
