package chaos

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// patience is how long a pooler may have nothing come through it. Nothing that
// the suite does takes as long.
const patience = 30 * time.Second

// guard ends the pooler by kill -9, and says so, when it hangs: when no delivery
// is acknowledged any more. It is started again, and the scenario goes on.
func (s *scene) guard() {
	s.endGuard = func() {}
	if !s.plan.kind.bouncer {
		return
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s.did.hangs = guardPooler(s.t, stop, s.broker.acknowledged, patience)
	}()
	s.endGuard = sync.OnceFunc(func() {
		close(stop)
		<-ended
	})
}

// guardPooler returns how often it ended the pooler.
func guardPooler(t testing.TB, stop <-chan struct{}, progress func() int, patience time.Duration) (hangs int) {
	tick := time.NewTicker(patience / 20)
	defer tick.Stop()
	last, since := progress(), time.Now()
	for {
		select {
		case <-stop:
			return hangs
		case <-tick.C:
		}
		if now := progress(); now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > patience && poolerNow.send("KILL", since) {
			hangs++
			text := fmt.Sprintf("PGBOUNCER HANGS: nothing came through it for %v; it is killed, and started again", patience)
			t.Log(text)
			fmt.Fprintln(os.Stderr, t.Name(), text)
			since = time.Now()
		}
	}
}
