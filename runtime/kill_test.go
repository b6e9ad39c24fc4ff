package runtime_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
)

// Workers in processes of their own are killed at random instants. They call
// a provider that dedupes by key; each run gives other bytes, so that a second
// recorded result would show.

const (
	kills       = 200
	envStore    = "IDEM_TEST_WORKER_STORE" // name and address of the store
	envProvider = "IDEM_TEST_WORKER_PROVIDER"
	envPrefix   = "IDEM_TEST_WORKER_PREFIX"
	envCharge   = "IDEM_TEST_WORKER_CHARGE" // the one key to deliver, instead of many
)

func TestMain(m *testing.M) {
	if address := os.Getenv(envStore); address != "" {
		if err := beWorker(address, dialProvider(os.Getenv(envProvider))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// beWorker is what a worker's process does.
func beWorker(address string, p *providerClient) error {
	store, err := openStore(address)
	if err != nil {
		return err
	}
	if key := os.Getenv(envCharge); key != "" {
		_, err := chargeOnce(context.Background(), store, p, idem.Key(key))
		return fmt.Errorf("it lives on: %w", err)
	}
	if prefix := os.Getenv(envPrefix); strings.HasPrefix(prefix, ordered) {
		return orderWork(address, store, p, prefix)
	}
	if os.Getenv(envProvider) == inTransactions {
		return txWork(address, store, os.Getenv(envPrefix))
	}
	return work(store, p, os.Getenv(envPrefix))
}

// ack is what a worker prints when it has an answer for a delivery.
type ack struct {
	Key     idem.Key
	Receipt receipt
}

// work delivers key after key, each twice at once, until it is killed.
func work(store idem.Store, p *providerClient, prefix string) error {
	out := json.NewEncoder(os.Stdout)
	var mu sync.Mutex
	for i := 0; ; i++ {
		key := idem.Key(fmt.Sprintf("%s%d", prefix, i))
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				got, err := p.deliver(context.Background(), store, key)
				if errors.Is(err, idem.ErrInProgress) {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					fmt.Fprintln(os.Stderr, key, err)
					return
				}
				_ = out.Encode(ack{key, got})
			})
		}
		both.Wait()
	}
}

// storeAddress tells a worker's process where its store is.
func storeAddress(db idemtest.DB) string {
	if db.Name() == "sqlite" {
		return "sqlite " + sqlitetest.DSN(db)
	}
	return "postgres " + pgtest.URL(db)
}

func openStore(address string) (idem.Store, error) {
	name, dsn, _ := strings.Cut(address, " ")
	if name == "sqlite" {
		db, err := sql.Open("sqlite", dsn)
		return sqlitestore.New(db, sqlitestore.WithClock(sqlitetest.Clock)), err
	}
	pool, err := pgxpool.New(context.Background(), dsn)
	return pgstore.New(pool, pgstore.WithClock(pgtest.Clock)), err
}

// providerClient is a worker's handler: it calls the provider.
type providerClient struct{ http *http.Client }

func dialProvider(socket string) *providerClient {
	return &providerClient{http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}}
}

func (p *providerClient) deliver(ctx context.Context, store idem.Store, key idem.Key) (receipt, error) {
	run, err := idem.Claim[receipt](ctx, store, idem.Spec{Handler: "notify", Lease: time.Minute, Attempts: 50}, key)
	if err != nil {
		return receipt{}, err
	}
	if got, ok := run.Replay(); ok {
		return got, nil
	}
	defer run.Close()
	return run.Complete(p.notify(run.Context(), run.Key()))
}

func (p *providerClient) notify(ctx context.Context, key idem.Key) (receipt, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://provider/", strings.NewReader(string(key)))
	if err != nil {
		return receipt{}, err
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return receipt{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	id, err := io.ReadAll(resp.Body)
	return receipt{ID: string(id), N: rand.Int64()}, err
}

// dedupingProvider has one effect per key, whatever it is sent.
type dedupingProvider struct {
	mu      sync.Mutex
	effects map[string]string
	calls   int
}

func (p *dedupingProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, err := io.ReadAll(r.Body)
	if err != nil {
		return // the worker died while it was sending
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if p.effects[string(key)] == "" {
		p.effects[string(key)] = fmt.Sprintf("effect %d", len(p.effects)+1)
	}
	_, _ = io.WriteString(w, p.effects[string(key)])
}

func startProvider(t *testing.T) (*dedupingProvider, string) {
	t.Helper()
	p := &dedupingProvider{effects: map[string]string{}}
	return p, serve(t, p)
}

// serve returns the socket that a provider listens on.
func serve(t *testing.T, provider http.Handler) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "idem") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "provider")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: provider, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return socket
}

func TestKill(t *testing.T) {
	rounds := kills
	if testing.Short() {
		rounds = 10
	}
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		provider, socket := startProvider(t)
		client := dialProvider(socket)
		keys, midway := 0, 0
		for round := range rounds {
			prefix := fmt.Sprintf("notify:%d.", round)
			acked := killWorker(t, storeAddress(db), socket, prefix)
			// Beyond the last key that was answered, one may be under way.
			for i := range len(acked) + 1 {
				key := idem.Key(fmt.Sprintf("%s%d", prefix, i))
				if settle(t, db, client, key, acked[key]) {
					midway++
				}
				keys++
			}
		}
		if stuck := db.Count(t, "SELECT count(*) FROM job_runs WHERE status <> 'done'"); stuck != 0 {
			t.Errorf("%d keys are stuck", stuck)
		}
		if len(provider.effects) != keys {
			t.Errorf("%d effects of %d keys", len(provider.effects), keys)
		}
		if midway == 0 && rounds == kills {
			t.Error("no kill met a worker midway: this test has shown nothing")
		}
		t.Logf("%d kills, %d keys, %d taken over midway, %d calls of the provider", rounds, keys, midway, provider.calls)
	})
}

// killWorker runs a worker for a random while and returns what it answered.
func killWorker(t *testing.T, store, provider, prefix string) map[idem.Key]receipt {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envStore+"="+store, envProvider+"="+provider, envPrefix+"="+prefix)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acked := map[idem.Key]receipt{}
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		var a ack
		if json.Unmarshal(lines.Bytes(), &a) != nil {
			continue // cut off by the kill
		}
		if len(acked) == 0 {
			kill.Reset(rand.N(15 * time.Millisecond)) // the random instant
		}
		if first, again := acked[a.Key]; again && first != a.Receipt {
			t.Errorf("%s: %v and %v", a.Key, first, a.Receipt)
		}
		acked[a.Key] = a.Receipt
	}
	_ = cmd.Wait()
	if complaints.Len() > 0 || len(acked) == 0 {
		t.Errorf("worker: %d answers; %s", len(acked), complaints.String())
	}
	return acked
}

// settle delivers a key again until it is done, and then some more. It
// reports whether it had to wait for a dead worker's lease.
func settle(t *testing.T, db idemtest.DB, client *providerClient, key idem.Key, acked receipt) (midway bool) {
	t.Helper()
	got, err := client.deliver(t.Context(), db.Store(), key)
	// A statement that the dead worker had sent may still take effect.
	for range 5 {
		var busy *idem.InProgressError
		if !errors.As(err, &busy) {
			break
		}
		midway = true
		db.Advance(busy.RetryAfter)
		got, err = client.deliver(t.Context(), db.Store(), key)
	}
	if err != nil || (acked != receipt{} && acked != got) {
		t.Errorf("%s: %v, error %v; the dead worker had answered %v", key, got, err, acked)
	}
	for range 3 {
		if again, err := client.deliver(t.Context(), db.Store(), key); err != nil || again != got {
			t.Errorf("%s: duplicate %v, error %v; want %v", key, again, err, got)
		}
	}
	return midway
}
