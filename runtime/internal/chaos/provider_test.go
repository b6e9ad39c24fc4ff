package chaos

import (
	"fmt"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// provider is what handlers call. It has one effect for a key, however often it
// is called.
type provider struct {
	start time.Time

	mu      sync.Mutex
	effects map[idem.Key]*effect
}

type effect struct {
	id    string
	calls []call // the first made it
}

type call struct {
	delivery int
	at       time.Duration
}

func newProvider() *provider {
	return &provider{start: time.Now(), effects: map[idem.Key]*effect{}}
}

func (p *provider) call(key idem.Key, delivery int) (id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.effects[key]
	if e == nil {
		e = &effect{id: fmt.Sprintf("effect %d", len(p.effects)+1)}
		p.effects[key] = e
	}
	e.calls = append(e.calls, call{delivery, time.Since(p.start)})
	return e.id
}

// calls returns how often it was called, and how often again with a key.
func (p *provider) calls() (all, again int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.effects {
		all += len(e.calls)
	}
	return all, all - len(p.effects)
}
