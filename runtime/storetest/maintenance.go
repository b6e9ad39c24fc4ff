package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// MaintenanceHarness is a Harness of a store that is an [idem.Maintainer].
type MaintenanceHarness struct {
	Harness
	// Refuse has the database refuse, from then on, to update or delete the
	// run of a key.
	Refuse func(t testing.TB, key string)
}

// maintenance continues the list of promises, as doc.go has it.
var maintenance = []struct {
	text string
	test func(*maintenanceSuite)
}{
	{"A task is begun once in a period, and others are told how long to wait.", taskPeriods},
	{"Of concurrent beginnings of a task one begins it.", taskOnce},
	{"A task that was begun in the future, by a clock that was set back since, is due.", taskAhead},
	{"Health tells how each task last ended, and how long ago.", taskHealth},
	{"Health counts what is two periods overdue for the sweep or a purge, and the dead, and nothing else.", overdue},
	{"A sweep passes over runs that the database refuses to write, resets all others, and tells which.", sweepRefused},
	{"A purge passes over runs that the database refuses to delete, deletes all others, and tells which.", purgeRefused},
	{"A run keeps the event of the first claim that was granted and had one, until it is done, failed or stale.", payloadKept},
	{"Undelivered are the runs of a handler that have an event and could be claimed, oldest first, each once.", undeliveredRuns},
}

// RunMaintenance tests what a store does for the maintenance of its table.
func RunMaintenance(t *testing.T, open func(testing.TB) MaintenanceHarness) {
	for i, p := range maintenance {
		t.Run(fmt.Sprintf("%02d %s", len(promises)+len(faults)+len(inTransactions)+i+1, p.text), func(t *testing.T) {
			t.Parallel()
			h := open(t)
			p.test(&maintenanceSuite{&suite{TB: t, Harness: h.Harness}, h.Store.(idem.Maintainer), h.Refuse})
		})
	}
}

// maintenanceSuite is a suite with the calls that these tests make.
type maintenanceSuite struct {
	*suite
	keeper idem.Maintainer
	refuse func(t testing.TB, key string)
}

const period = time.Hour

func (s *maintenanceSuite) wantWait(task string, period, want time.Duration) {
	s.Helper()
	wait, err := s.keeper.BeginTask(context.Background(), task, period)
	s.must(err)
	if wait != want {
		s.Errorf("%s has to wait for %v, want %v", task, wait, want)
	}
}

func taskPeriods(s *maintenanceSuite) {
	purge := idem.PurgeTask(handler)
	s.wantWait(idem.SweepTask, period, 0)
	s.wantWait(idem.SweepTask, period, period)
	s.wantWait(purge, period, 0) // which is another task
	s.Advance(period - tick)
	s.wantWait(idem.SweepTask, period, tick)
	s.wantWait(idem.SweepTask, 3*period, 2*period+tick)
	s.wantWait(idem.SweepTask, period-tick, 0) // of a replica with another period
	s.Advance(tick)
	s.wantWait(purge, period, 0)
	s.wantWait(purge, period, period)
}

func taskOnce(s *maintenanceSuite) {
	for range 20 {
		var mu sync.Mutex
		begun := 0
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				wait, err := s.keeper.BeginTask(context.Background(), idem.SweepTask, period)
				mu.Lock()
				defer mu.Unlock()
				if err != nil || wait < 0 || wait > period {
					s.Errorf("wait for %v, %v", wait, err)
				}
				if wait == 0 {
					begun++
				}
			})
		}
		all.Wait()
		if begun != 1 {
			s.Errorf("%d began the task", begun)
		}
		s.Advance(period)
	}
}

func taskAhead(s *maintenanceSuite) {
	s.wantWait(idem.SweepTask, period, 0)
	s.Advance(-3 * period)
	s.wantWait(idem.SweepTask, period, 0)
	s.wantWait(idem.SweepTask, period, period)
}

func (s *maintenanceSuite) health(specs ...idem.Spec) idem.Health {
	s.Helper()
	h, err := s.keeper.Health(context.Background(), specs)
	s.must(err)
	return h
}

func taskHealth(s *maintenanceSuite) {
	ctx := context.Background()
	specs := []idem.Spec{{Handler: handler, Retain: retention}, {Handler: "forever"}, {Handler: "charge", Retain: retention}}
	want := idem.Health{Tasks: []idem.TaskHealth{{Task: "sweep"}, {Task: "purge:notify"}, {Task: "purge:charge"}}}
	s.wantHealth("nothing was begun", s.health(specs...), want)

	s.must(s.keeper.EndTask(ctx, idem.SweepTask, 3, "")) // nobody began it
	s.wantHealth("nothing was begun", s.health(specs...), want)

	s.wantWait(idem.SweepTask, period, 0)
	s.Advance(tick)
	want.Tasks[0] = idem.TaskHealth{Task: "sweep", Ran: true, Period: period, Ago: tick}
	s.wantHealth("begun, and not ended", s.health(specs...), want)

	s.must(s.keeper.EndTask(ctx, idem.SweepTask, 3, ""))
	s.Advance(2 * tick)
	want.Tasks[0].Ago, want.Tasks[0].Rows = 2*tick, 3
	s.wantHealth("ended", s.health(specs...), want)

	s.wantWait(idem.PurgeTask(handler), 2*period, 0)
	s.must(s.keeper.EndTask(ctx, idem.PurgeTask(handler), 5, "refused"))
	want.Tasks[1] = idem.TaskHealth{Task: "purge:notify", Ran: true, Period: 2 * period, Rows: 5, Error: "refused"}
	s.wantHealth("ended in an error", s.health(specs...), want)

	s.Advance(period)
	s.wantWait(idem.SweepTask, period, 0)
	s.Advance(tick)
	want.Tasks[0].Ago, want.Tasks[1].Ago = period+3*tick, period+tick
	s.wantHealth("begun again", s.health(specs...), want)
	s.wantWait(idem.PurgeTask(handler), 2*period, period-tick)
	s.Advance(period)
	s.wantWait(idem.PurgeTask(handler), 2*period, 0)
	s.must(s.keeper.EndTask(ctx, idem.PurgeTask(handler), 0, ""))
	want.Tasks[0].Ago, want.Tasks[1].Ago, want.Tasks[1].Rows, want.Tasks[1].Error = 2*period+3*tick, 0, 0, ""
	s.wantHealth("ended well at last", s.health(specs...), want)
}

func (s *maintenanceSuite) wantHealth(what string, got, want idem.Health) {
	s.Helper()
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		s.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func overdue(s *maintenanceSuite) {
	spec := idem.Spec{Handler: handler, Retain: retention}
	counts := func() string {
		h := s.health(spec)
		return fmt.Sprint(h.Tasks[0].Overdue, h.Tasks[1].Overdue, h.Dead)
	}
	want := func(what, want string) {
		s.Helper()
		if got := counts(); got != want {
			s.Errorf("%s: sweep, purge and dead are %s, want %s", what, got, want)
		}
	}
	for _, task := range []string{idem.SweepTask, idem.PurgeTask(handler)} {
		s.wantWait(task, period, 0)
	}
	other := request("charge:1")
	other.Handler = "charge"
	s.complete(s.ask(other).Token(), "result")
	for _, state := range []string{"running", "waiting", "done", "failed"} {
		states[state](s.suite, idem.Key(state))
	}
	s.must(s.Store.Release(context.Background(), s.hold("dead").Token(), idem.Release{}))
	want("new", "0 0 1")
	s.Advance(lease + 2*period - tick)
	want("1 ms before the sweep is overdue", "0 0 1")
	s.Advance(tick)
	want("the sweep is overdue", "1 0 1")
	s.Advance(retention - lease)
	want("the purge is not overdue yet", "1 0 1")
	s.Advance(tick)
	want("done, failed, dead", "1 3 1")
	s.Advance(lease)
	want("and waiting", "1 4 1")
	s.sweep(9, 1)
	s.purge(retention, 9, 4)
	want("after both", "0 0 0")
}

// refusals holds 30 runs, most of them since one moment, and has four refused:
// the first, two that are neighbours, and the last.
func refusals(s *maintenanceSuite) (refused []string, others int) {
	refused = []string{"notify:00", "notify:14", "notify:15", "notify:29"}
	for n := range 30 {
		if n == 1 || n > 20 {
			s.Advance(tick)
		}
		s.hold(idem.Key(fmt.Sprintf("notify:%02d", n)))
	}
	return refused, 30 - len(refused)
}

func (s *maintenanceSuite) refuseAll(keys []string) {
	s.Helper()
	for _, key := range keys {
		s.refuse(s, key)
	}
}

func (s *maintenanceSuite) wantRefused(n int, err error, want int, refused []string) {
	s.Helper()
	if n != want || err == nil {
		s.Errorf("%d rows, %v; want %d", n, err, want)
		return
	}
	for _, text := range []string{fmt.Sprintf("%d runs", len(refused)), refused[0], "refused by the test"} {
		if !strings.Contains(err.Error(), text) {
			s.Errorf("the error does not tell of %s: %v", text, err)
		}
	}
}

func sweepRefused(s *maintenanceSuite) {
	refused, others := refusals(s)
	s.refuseAll(refused)
	s.Advance(2 * lease)
	n, err := s.Store.Sweep(context.Background(), 99)
	s.wantRefused(n, err, others, refused)
	for _, key := range refused {
		if rec := s.lookup(idem.Key(key)); rec.Status != idem.StatusRunning || rec.Attempt != 1 {
			s.Errorf("refused, and %s", show(rec))
		}
	}
	late := s.hold("notify:late").Key
	s.Advance(2 * lease)
	n, err = s.Store.Sweep(context.Background(), 2) // of which the refused ones use up nothing
	s.wantRefused(n, err, 1, refused)
	if rec := s.lookup(late); rec.Status != idem.StatusWaiting {
		s.Errorf("behind the refused, and %s", show(rec))
	}
}

func purgeRefused(s *maintenanceSuite) {
	refused, others := refusals(s)
	for n := range others + len(refused) {
		s.complete(s.lookup(idem.Key(fmt.Sprintf("notify:%02d", n))).Token(), "result")
	}
	s.refuseAll(refused)
	s.Advance(2 * retention)
	n, err := s.Store.Purge(context.Background(), handler, retention, 99)
	s.wantRefused(n, err, others, refused)
	for n := range others + len(refused) {
		if key := fmt.Sprintf("notify:%02d", n); slices.Contains(refused, key) {
			s.lookup(idem.Key(key))
		} else {
			s.wantAbsent(idem.Key(key))
		}
	}
	s.complete(s.hold("notify:late").Token(), "result")
	s.Advance(2 * retention)
	n, err = s.Store.Purge(context.Background(), handler, retention, 2)
	s.wantRefused(n, err, 1, refused)
	s.wantAbsent("notify:late")
}
