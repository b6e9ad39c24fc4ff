package chaos

import (
	"encoding/json"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// process is a worker in a process of its own.
type process struct {
	scene *scene
	cmd   *exec.Cmd
	gone  chan struct{} // closed when it has ended
	said  strings.Builder

	mu    sync.Mutex
	given map[int]bool // deliveries that it has not answered
}

// start starts a worker.
func (s *scene) start() *process {
	s.t.Helper()
	text, err := json.Marshal(s.setup)
	if err != nil {
		s.t.Fatal(err)
	}
	p := &process{scene: s, cmd: exec.Command(os.Args[0]), gone: make(chan struct{}), given: map[int]bool{}}
	apart(p.cmd)
	p.cmd.Env = append(os.Environ(), setupEnv+"="+string(text))
	p.cmd.Stderr = &p.said
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	server := rpc.NewServer()
	if err := server.RegisterName("home", &door{s.near, p}); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.gone)
	}()
	s.served.Go(func() {
		server.ServeConn(struct {
			io.Reader
			io.WriteCloser
		}{stdout, stdin})
		<-p.gone // whatever it still asks for
		p.abandon()
	})
	return p
}

// took and gave keep which deliveries the worker has.
func (p *process) took(number int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.given[number] = true
}

func (p *process) gave(number int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.given, number)
}

// abandon has the broker deliver again what the worker has not answered.
func (p *process) abandon() []idem.Key {
	p.mu.Lock()
	given := p.given
	p.given = map[int]bool{}
	p.mu.Unlock()
	return p.scene.broker.takeBack(given)
}

// kill is kill -9.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// strike is what the test does to the first worker that comes to a step.
type strike struct {
	step  string
	delay time.Duration
	blow  func(*process)
	hit   chan *process
}

// step is where a worker may be struck.
func (p *process) step(name string) {
	s := p.scene
	s.mu.Lock()
	blow := s.armed
	if blow == nil || blow.step != name {
		s.mu.Unlock()
		return
	}
	s.armed = nil
	s.mu.Unlock()
	if blow.delay > 0 {
		time.AfterFunc(blow.delay, func() {
			blow.blow(p)
			blow.hit <- p
		})
		return
	}
	blow.blow(p)
	blow.hit <- p
}

// arm has the next worker that comes to a step struck.
func (s *scene) arm(b strike) <-chan *process {
	b.hit = make(chan *process, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = &b
	return b.hit
}
