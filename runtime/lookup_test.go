package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// forgetful is a provider that takes no idempotency key: each call is one more
// effect, and a caller can ask what there is under a reference.
type forgetful struct {
	mu      sync.Mutex
	effects map[string]int
	asked   int
	charged func() // before the first effect's answer is sent
}

func (p *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ref := r.URL.Query().Get("ref")
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Method == http.MethodPost {
		if p.effects[ref]++; p.effects[ref] == 1 {
			p.charged()
		}
	} else if p.asked++; p.effects[ref] == 0 {
		http.NotFound(w, r)
		return
	}
	_, _ = fmt.Fprintf(w, "effect %d", p.effects[ref])
}

func (p *forgetful) told(key idem.Key) (effects, asked int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.effects[key.String()], p.asked
}

// charge is a handler for such a provider.
func (p *providerClient) charge(ctx context.Context, key idem.Key) (receipt, error) {
	return idem.Lookup(ctx, func(ctx context.Context) (receipt, bool, error) {
		id, err := p.ask(ctx, http.MethodGet, key)
		return receipt{ID: id}, id != "", err
	}, func(ctx context.Context) (receipt, error) {
		id, err := p.ask(ctx, http.MethodPost, key)
		return receipt{ID: id}, err
	})
}

// ask returns the effect that the provider tells, or "" if there is none.
func (p *providerClient) ask(ctx context.Context, method string, key idem.Key) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://provider/?ref="+url.QueryEscape(key.String()), nil)
	if err != nil {
		return "", err
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	id, err := io.ReadAll(resp.Body)
	if resp.StatusCode == http.StatusNotFound {
		return "", err
	}
	return string(id), err
}

// chargeOnce is what a worker's process does that is told a key.
func chargeOnce(ctx context.Context, store idem.Store, p *providerClient, key idem.Key) (receipt, error) {
	run, err := idem.Claim[receipt](ctx, store, idem.Spec{Handler: "charge", Lease: leased.Lease, Attempts: 5}, key)
	if err != nil {
		return receipt{}, err
	}
	if got, ok := run.Replay(); ok {
		return got, nil
	}
	defer run.Close()
	return run.Complete(p.charge(run.Context(), run.Key()))
}

// A worker is killed between the provider's effect and its answer, as often as
// it takes; the provider is asked before it is called again.
func TestLookupAfterAKill(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		charged, dead := make(chan bool), make(chan bool)
		provider := &forgetful{effects: map[string]int{}, charged: func() {
			close(charged)
			<-dead
		}}
		socket := serve(t, provider)
		const key = idem.Key("charge:1")

		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), envStore+"="+storeAddress(db), envProvider+"="+socket, envCharge+"="+key.String())
		var complaints strings.Builder
		cmd.Stderr = &complaints
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() {
			<-charged
			_ = cmd.Process.Kill()
		}()
		err := cmd.Wait()
		close(dead)
		if err == nil || complaints.Len() > 0 {
			t.Fatalf("the worker was not killed: %v; %s", err, complaints.String())
		}

		client := dialProvider(socket)
		_, err = chargeOnce(t.Context(), db.Store(), client, key)
		var busy *idem.InProgressError
		if !errors.As(err, &busy) {
			t.Fatalf("the dead worker's lease: %v", err)
		}
		db.Advance(busy.RetryAfter)
		for range 2 {
			got, err := chargeOnce(t.Context(), db.Store(), client, key)
			effects, asked := provider.told(key)
			if err != nil || got.ID != "effect 1" || effects != 1 || asked != 1 {
				t.Errorf("got %v, %v; %d effects, asked %d times", got, err, effects, asked)
			}
		}
	})
}

func TestLookup(t *testing.T) {
	found := func(context.Context) (string, bool, error) { return "found", true, nil }
	missing := func(context.Context) (string, bool, error) { return "", false, nil }
	broken := func(context.Context) (string, bool, error) { return "", false, errDown }
	call := func(context.Context) (string, error) { return "called", nil }
	for _, tt := range []struct {
		name    string
		attempt int // zero for a context of no run
		find    func(context.Context) (string, bool, error)
		want    string
		err     error
	}{
		{"first attempt", 1, found, "called", nil},
		{"second, found", 2, found, "found", nil},
		{"second, missing", 2, missing, "called", nil},
		{"second, not to be asked", 2, broken, "", errDown},
		{"no run, found", 0, found, "found", nil},
		{"no run, missing", 0, missing, "called", nil},
	} {
		ctx := t.Context()
		if tt.attempt > 0 {
			store := &scripted{claimed: func(req idem.ClaimRequest) (idem.Record, error) {
				rec := running(req, req.Owner)
				rec.Attempt = tt.attempt
				return rec, nil
			}}
			run, err := idem.Claim[string](ctx, store, leased, key)
			if err != nil {
				t.Fatal(err)
			}
			ctx = run.Context()
			store.released = func(context.Context, idem.Release) error { return nil }
			defer run.Close()
		}
		if got, err := idem.Lookup(ctx, tt.find, call); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: got %q, %v; want %q, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}
