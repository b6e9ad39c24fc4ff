package main

import (
	"context"
	"fmt"
	"sync"
)

// Provider plays a company that sends text messages, and takes an
// idempotency key as such companies do.
type Provider struct {
	mu       sync.Mutex
	requests int
	sent     int
	byKey    map[string]string // the message sent for each key
}

var _ TextSender = (*Provider)(nil)

// NewProvider returns a provider that has sent nothing.
func NewProvider() *Provider { return &Provider{byKey: make(map[string]string)} }

// Send implements [TextSender]. Without a key, every request sends.
func (p *Provider) Send(_ context.Context, key, _, _ string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	if id, known := p.byKey[key]; known {
		return id, nil
	}
	p.sent++
	id := fmt.Sprintf("msg_%d", p.sent)
	if key != "" {
		p.byKey[key] = id
	}
	return id, nil
}

// Counts returns how many requests came, and how many messages went out.
func (p *Provider) Counts() (requests, sent int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests, p.sent
}
