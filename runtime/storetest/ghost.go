package storetest

import (
	"context"
	"errors"
	"fmt"

	idem "github.com/idemgen/idemgen/runtime"
)

func noGhost(s *suite, wire *Wire) {
	arrivals := []string{"in time", "never", "late"}
	for _, a := range arrangements {
		for _, arrival := range arrivals {
			key := idem.Key(a.name + ", arrives " + arrival)
			a.arrange(s, key)
			s.cancelledClaim(key, a.verb, arrival, wire)
			s.wantGivenBack(key, a.attempt)
			if kept := s.Count(s, fmt.Sprintf("SELECT count(*) FROM %s WHERE key = '%s' AND payload IS NOT NULL", s.Table, key)); arrival == "never" && kept > 0 {
				s.Errorf("%s: an event is kept that nobody worked for", key)
			}
			s.remove(key)
		}
	}
}

// cancelledClaim cancels a claim whose statement arrives in time, never, or
// when the call is over.
func (s *suite) cancelledClaim(key idem.Key, verb, arrival string, wire *Wire) {
	s.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	arrive := func() {}
	wire.next(verb, func(ctx context.Context, run func(context.Context) error) error {
		cancel()
		detached := context.WithoutCancel(ctx)
		switch arrival {
		case "in time":
			s.must(run(detached))
		case "late":
			// It finds nothing to do: to some drivers that is an error.
			arrive = func() { _ = run(detached) }
		}
		return errCut
	})
	req := request(key)
	req.Payload = []byte("event")
	if rec, err := s.Store.Claim(ctx, req); !errors.Is(err, context.Canceled) || !wire.met() {
		s.Errorf("%s: got %s, %v, want context.Canceled", key, show(rec), err)
	}
	arrive()
}

// grantedThenRefused has the database refuse to renew a lease: a claim that
// waited needs that after it was granted, and so does one that is repeated.
func grantedThenRefused(s *suite, wire *Wire) {
	for _, a := range arrangements {
		key := idem.Key(a.name)
		a.arrange(s, key)
		req := request(key)
		s.ask(req)
		s.Advance(lease / 2)
		wire.next("UPDATE", func(ctx context.Context, run func(context.Context) error) error {
			s.Exec(s, fmt.Sprintf("ALTER TABLE %s RENAME COLUMN owner TO holder", s.Table))
			defer s.Exec(s, fmt.Sprintf("ALTER TABLE %s RENAME COLUMN holder TO owner", s.Table))
			return run(ctx)
		})
		if rec, err := s.Store.Claim(context.Background(), req); err == nil || !wire.met() {
			s.Errorf("%s: got %s, want the error", key, show(rec))
		}
		s.wantGivenBack(key, a.attempt)
	}
}

// wantGivenBack checks that a run waits, due now, and that its last attempt,
// which no handler saw, does not count.
func (s *suite) wantGivenBack(key idem.Key, attempt int) {
	s.Helper()
	rec := s.lookup(key)
	if rec.Status != idem.StatusWaiting || rec.Remaining > 0 || rec.Attempt != attempt+1 || rec.Holds != 1 {
		s.Errorf("%s: left %s", key, show(rec))
	}
	next := request(key)
	next.Attempts = attempt
	if rec := s.ask(next); !rec.HeldBy(next.Owner) {
		s.Errorf("%s: then claimed: %s", key, show(rec))
	}
}
