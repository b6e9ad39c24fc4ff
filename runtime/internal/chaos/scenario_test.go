package chaos

import (
	"fmt"
	"hash/fnv"
	"sync"
	"testing"
	"time"
)

// kind is a store, and how its workers get to it.
type kind struct {
	name     string
	dialect  string
	coalesce bool
	bouncer  bool
}

var kinds = []kind{
	{name: "postgres", dialect: "postgres", coalesce: true},
	{name: "postgres without coalescing", dialect: "postgres"},
	{name: "pgbouncer", dialect: "postgres", coalesce: true, bouncer: true},
	{name: "sqlite", dialect: "sqlite"},
}

// nemesis is what is done to the workers, and to what they depend on.
type nemesis struct {
	name   string
	act    func(s *scene, times int)
	server bool // it is for stores that have one
	alone  bool // it disturbs all who use the server
}

var nemeses = []nemesis{
	{name: "kill -9", act: (*scene).killWorkers},
	{name: "SIGSTOP", act: (*scene).pauseWorkers},
	{name: "cut", act: (*scene).cutConnections, server: true},
	{name: "stop -m immediate", act: (*scene).crashServer, server: true, alone: true},
}

// scenario is a store, a mode and a nemesis.
type scenario struct {
	kind    kind
	tx      bool
	nemesis nemesis
	times   int
}

func (s scenario) name() string {
	mode := "leases"
	if s.tx {
		mode = "transactions"
	}
	return s.kind.name + "/" + mode + "/" + s.nemesis.name
}

// seed is the scenario's part of a seed.
func (s scenario) seed(of uint64) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, of, s.name())
	return h.Sum64()
}

// scenarios returns every one that there is.
func scenarios() (list []scenario) {
	for _, k := range kinds {
		for _, tx := range []bool{false, true} {
			for _, n := range nemeses {
				if !n.server || k.dialect != "sqlite" {
					list = append(list, scenario{kind: k, tx: tx, nemesis: n})
				}
			}
		}
	}
	return list
}

// TestChaos plays the scenarios of the share that is asked for.
func TestChaos(t *testing.T) {
	share, seed := asked(t)
	again := fmt.Sprintf("%s=%s %s=%d", shareEnv, share.name, seedEnv, seed)
	t.Logf("to run it again: %s", again)
	var mu sync.Mutex
	var all figures
	start := time.Now()
	for _, s := range share.scenarios(seed) {
		t.Run(s.name(), func(t *testing.T) {
			if !s.nemesis.alone {
				t.Parallel()
			}
			got := newScene(t, s, s.seed(seed)).run()
			mu.Lock()
			defer mu.Unlock()
			all.add(got)
			t.Logf("%v", got)
			if t.Failed() {
				t.Logf("to run it again: %s", again)
			}
		})
	}
	t.Cleanup(func() {
		t.Logf("%d scenarios in %v: %v", all.scenarios, time.Since(start).Round(time.Second), all)
	})
}

// figures are what a scenario did and found.
type figures struct {
	scenarios                      int
	kills, pauses, cuts, crashes   int
	alone                          int // pauses in which nobody could do what the worker had in hand
	hangs                          int // of poolers, which were ended
	keys, deliveries, calls, again int
	together, rows                 int // statements for many runs at once, and how many those did
	findings                       int
}

func (f *figures) add(o figures) {
	f.scenarios += o.scenarios
	f.kills += o.kills
	f.pauses += o.pauses
	f.alone += o.alone
	f.hangs += o.hangs
	f.cuts += o.cuts
	f.crashes += o.crashes
	f.keys += o.keys
	f.deliveries += o.deliveries
	f.calls += o.calls
	f.again += o.again
	f.together += o.together
	f.rows += o.rows
	f.findings += o.findings
}

func (f figures) String() string {
	return fmt.Sprintf("%d kills, %d pauses (in %d of which nobody else could do the work), %d cuts, %d crashes, %d poolers that hung; %d keys, %d deliveries acknowledged, %d calls of stores, of which %d went in %d statements for many, provider called again for a key %d times; %d findings",
		f.kills, f.pauses, f.alone, f.cuts, f.crashes, f.hangs, f.keys, f.deliveries, f.calls, f.rows, f.together, f.again, f.findings)
}
