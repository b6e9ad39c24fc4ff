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
}

const workers = 3

func newScene(t testing.TB, plan scenario, seed uint64) *scene {
	t.Helper()
	s := &scene{
		near: newNear(seed),
		t:    t, plan: plan, rand: rand.New(rand.NewPCG(seed, 2)),
	}
	s.history.lossy = plan.nemesis.server
	s.setup = setup{Dialect: plan.kind.dialect, Coalesce: plan.kind.coalesce, Tx: plan.tx, Slots: 6}
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
	// Fewer connections than deliveries at once, so that claims and completions
	// go together.
	s.setup.DSN = fmt.Sprintf("postgres://idemtest@%s/%s?sslmode=disable&pool_max_conns=3%s", s.wire.listener.Addr(), s.db.name, mode)
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
	if s.wire != nil {
		s.did.together = s.wire.together()
	}
	if s.did.together > 0 && !s.setup.Coalesce {
		s.t.Errorf("%d statements were for many runs", s.did.together)
	}
	return s.did
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
}

// quiet waits until nothing is under way any more, and no lease is in force.
func (s *scene) quiet() {
	s.t.Helper()
	if s.db.idle != "" {
		s.await("the server idle", func() bool {
			n, err := s.db.number(s.db.idle)
			return err == nil && n == 0
		})
	}
	s.await("the leases over", func() bool {
		n, err := s.db.running("due > {now}")
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
