package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/internal/poll"
)

// scene is a scenario under way.
type scene struct {
	near
	t       testing.TB
	plan    scenario
	rand    *rand.Rand
	db      *database
	setup   setup
	wire    *wire // on the way to Postgres
	workers []*process
	did     figures

	mu    sync.Mutex
	armed *strike

	served sync.WaitGroup // workers, until all that they said is heard

	sweeper    sync.WaitGroup
	stopSweeps context.CancelFunc
	endGuard   func()
}

const workers = 3

// goTogether is what part of the calls go together at least where they coalesce: a
// third to a half as a rule, a sixth where many workers die before they ask.
const goTogether = 20

func newScene(t testing.TB, plan scenario, seed uint64) *scene {
	t.Helper()
	s := &scene{
		near: newNear(seed),
		t:    t, plan: plan, rand: rand.New(rand.NewPCG(seed, 2)),
	}
	s.history.lossy = plan.nemesis.server || plan.kind.bouncer // which may end
	s.setup = setup{Dialect: plan.kind.dialect, Coalesce: plan.kind.coalesce, Tx: plan.tx, Slots: 6, Crowd: 1}
	if plan.kind.dialect == "sqlite" {
		s.db = newSQLite(t)
		s.setup.DSN, s.setup.Slots = s.db.name, 3
		return s
	}
	s.db = newPostgres(t)
	socket, mode := filepath.Join(theServer(t).Dir, ".s.PGSQL.5432"), ""
	if plan.kind.bouncer {
		socket, mode = pgbouncer(t), "&default_query_exec_mode=exec"
	}
	s.wire = newWire(t, "unix", socket)
	s.wire.spareCancels(plan.kind.bouncer)
	conns := 3
	if !plan.tx {
		// One connection for crowds, so that claims and completions go together.
		// (A transaction has a connection for itself.)
		conns, s.setup.Slots, s.setup.Crowd = 1, 2, 16
	}
	s.setup.DSN = fmt.Sprintf("postgres://idemtest@%s/%s?sslmode=disable&pool_max_conns=%d%s", s.wire.listener.Addr(), s.db.name, conns, mode)
	return s
}

// run plays the scenario and looks at what is left.
func (s *scene) run() figures {
	s.t.Helper()
	for range workers {
		s.workers = append(s.workers, s.start())
	}
	s.t.Cleanup(s.end)
	s.keepSweeping()
	s.guard()
	s.await("the first deliveries", func() bool { return s.broker.acknowledged() >= 20 })
	s.plan.nemesis.act(s, s.plan.times)
	s.end()
	s.quiet()
	e := &evidence{near: s.near, db: s.db, worker: worker{store: s.setup.record(s.db.store, s.near), home: s.near, setup: s.setup}}
	findings := e.settle()
	for i, f := range findings {
		if i == 10 {
			s.t.Errorf("and %d more", len(findings)-i)
			break
		}
		s.t.Error(f)
	}
	s.did.scenarios, s.did.keys, s.did.deliveries, s.did.findings = 1, len(s.broker.keys), s.broker.acks, len(findings)
	s.did.calls = len(s.history.all)
	_, s.did.again = s.provider.calls()
	s.company()
	return s.did
}

// company sees to it that the scenario has met what it is to meet: calls that go
// together, or none.
func (s *scene) company() {
	s.t.Helper()
	if s.wire == nil {
		return
	}
	s.did.together, s.did.rows = s.wire.together()
	switch {
	case !s.setup.Coalesce && s.did.together > 0:
		s.t.Errorf("%d statements were for many runs", s.did.together)
	case s.setup.Coalesce && !s.setup.Tx && s.did.rows < s.did.calls/goTogether:
		s.t.Errorf("%d of %d calls went together; want one in %d", s.did.rows, s.did.calls, goTogether)
	}
}

// await waits for something that has to come, on a machine as busy as may be.
func (s *scene) await(what string, yes func() bool) {
	s.t.Helper()
	poll.Within(s.t, 5*time.Minute, what, yes)
}

// struck waits until a worker was.
func (s *scene) struck(hit <-chan *process) (p *process) {
	s.t.Helper()
	s.await("a worker at the step", func() bool {
		select {
		case p = <-hit:
			return true
		default:
			return false
		}
	})
	return p
}

// end kills all workers, and waits until the broker has what they had.
func (s *scene) end() {
	s.broker.close()
	s.mu.Lock()
	s.armed = nil
	s.mu.Unlock()
	if s.stopSweeps != nil {
		s.stopSweeps()
		s.sweeper.Wait()
	}
	for _, p := range s.workers {
		p.kill()
		<-p.gone
		if text := strings.TrimSpace(p.said.String()); text != "" {
			s.t.Errorf("a worker said: %s", text)
		}
	}
	s.workers = nil
	s.served.Wait()
	if s.wire != nil {
		s.wire.play(nil)
		s.wire.deliver()
		s.wire.close()
	}
	s.endGuard()
}

// quiet waits until nothing is under way any more, no lease is in force, and no
// run is held back.
func (s *scene) quiet() {
	s.t.Helper()
	if s.db.idle != "" {
		s.await("the server idle", func() bool {
			n, err := s.db.number(s.db.idle)
			return err == nil && n == 0
		})
	}
	s.await("the leases and holds over", func() bool {
		n, err := s.db.held()
		return err == nil && n == 0
	})
}

// keepSweeping sweeps now and then, as somebody does in production.
func (s *scene) keepSweeping() {
	ctx, cancel := context.WithCancel(context.Background())
	s.stopSweeps = cancel
	s.sweeper.Go(func() {
		tick := time.NewTicker(lease / 4)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// While the server is down there is an error.
				_, _ = s.history.sweep(func() (int, error) { return s.db.store.Sweep(context.Background(), 1000) })
			}
		}
	})
}
