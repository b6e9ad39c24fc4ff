package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// Workers of handlers with an order are killed at random instants. Each round has a
// plan of versions of a few entities, which a worker delivers in any order, over and
// over, until it is killed.

const (
	planEntities = 3
	planVersions = 8 // of each entity in a round
)

type planned struct {
	entity  string
	version int64
}

func (p planned) key() idem.Key { return depositKey(p.entity, p.version) }

func orderPlan(round int64) (plan []planned) {
	for entity := range planEntities {
		for version := range int64(planVersions) {
			plan = append(plan, planned{fmt.Sprint(entity), round*planVersions + version + 1})
		}
	}
	rand.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	return plan
}

// ordered begins what a worker of this test gets for a prefix: the mode and the
// round.
const ordered = "ordered "

// orderWork delivers a round's plan until it is killed, by several goroutines.
func orderWork(address string, store idem.Store, p *providerClient, prefix string) error {
	var inTx bool
	var round int64
	if _, err := fmt.Sscanf(prefix, ordered+"%t %d", &inTx, &round); err != nil {
		return err
	}
	dialect, _, _ := strings.Cut(address, " ")
	plan := orderPlan(round)
	out := json.NewEncoder(os.Stdout)
	var mu sync.Mutex
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := n; ; i++ {
				event := plan[i%len(plan)]
				got, err := deliverPlanned(context.Background(), dialect, store, inTx, event, p)
				mu.Lock()
				switch {
				case err == nil:
					_ = out.Encode(ack{event.key(), got})
				case errors.Is(err, idem.ErrStale):
					_ = out.Encode(ack{event.key(), receipt{ID: "stale"}})
				case !errors.Is(err, idem.ErrInProgress):
					fmt.Fprintln(os.Stderr, event, err)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return nil
}

// deliverPlanned is the wrapper of a handler that calls a provider, or that writes a
// row in its transaction.
func deliverPlanned(ctx context.Context, dialect string, store idem.Store, inTx bool, event planned, p *providerClient) (receipt, error) {
	w := &orderWorker{db: ofDialect{dialect: dialect}, store: store, inTx: inTx}
	w.spec = idem.Spec{Handler: "deposit", Lease: time.Minute, Attempts: 1000, Ordered: true}
	// Each run has another result, so that a second recorded one would show.
	return w.deliverWith(ctx, event.key(), func(ctx context.Context, exec func(string) error) error {
		if inTx {
			return exec(fmt.Sprintf("INSERT INTO deposits (entity, version) VALUES ('%s', %d)", event.entity, event.version))
		}
		_, err := p.notify(ctx, idem.Key(fmt.Sprintf("%s %d", event.entity, event.version)))
		return err
	}, receipt{ID: event.entity, N: rand.Int64()}, depositOrder(event.entity, event.version))
}

// ofDialect is a database of which only the dialect is known.
type ofDialect struct {
	idemtest.DB
	dialect string
}

func (n ofDialect) Name() string { return n.dialect }

// versionProvider has one effect per version, and sees to it that whoever calls it
// holds the entity, and is not older than what was applied.
type versionProvider struct {
	t  *testing.T
	db idemtest.DB

	mu      sync.Mutex
	effects map[string]bool
	live    map[string]int
	open    int // connections
	closed  *sync.Cond
}

func (p *versionProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the worker died while it was sending
	}
	entity, version := "", 0
	if _, err := fmt.Sscan(string(body), &entity, &version); err != nil {
		p.t.Error(err)
	}
	p.mu.Lock()
	if p.live[entity]++; p.live[entity] > 1 {
		p.t.Errorf("%d live runs of %s", p.live[entity], entity)
	}
	p.mu.Unlock()
	applied := p.db.Count(p.t, "SELECT coalesce(max(version), 0) FROM job_runs_order WHERE entity = $1", "account:"+entity)
	if applied > version {
		p.t.Errorf("version %d of %s is run after %d", version, entity, applied)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live[entity]--
	p.effects[string(body)] = true
	_, _ = io.WriteString(w, "ok")
}

// listen returns the socket that the provider listens on.
func (p *versionProvider) listen() string {
	dir, err := os.MkdirTemp("", "idem") // t.TempDir is too long for a socket
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "provider")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		p.t.Fatal(err)
	}
	server := &http.Server{Handler: p, ReadHeaderTimeout: time.Minute, ConnState: p.connection}
	go func() { _ = server.Serve(listener) }()
	p.t.Cleanup(func() { _ = server.Close() })
	return socket
}

func (p *versionProvider) connection(_ net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch state {
	case http.StateNew:
		p.open++
	case http.StateClosed:
		p.open--
		p.closed.Broadcast()
	}
}

// quiet waits until nothing of a dead worker is on its way any more: what it sent
// last would be the late effect of a zombie.
func (p *versionProvider) quiet() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.open > 0 {
		p.closed.Wait()
	}
}

// trail has the database keep the versions of each entity as they are applied, and
// the rows of transactional handlers.
var trail = map[string]string{
	"postgres": `CREATE TABLE deposits (place serial, entity text, version bigint);
		CREATE TABLE applied (place serial, entity text, version bigint);
		CREATE FUNCTION trail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO applied (entity, version) VALUES (NEW.entity, NEW.version);
			RETURN NULL;
		END $$;
		CREATE TRIGGER trail AFTER UPDATE OF version ON job_runs_order FOR EACH ROW EXECUTE FUNCTION trail()`,
	"sqlite": `CREATE TABLE deposits (place INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT, version INTEGER);
		CREATE TABLE applied (place INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT, version INTEGER);
		CREATE TRIGGER trail AFTER UPDATE OF version ON job_runs_order
			BEGIN INSERT INTO applied (entity, version) VALUES (NEW.entity, NEW.version); END`,
}

// goesDown counts the places at which the versions of an entity go down in a table,
// or, in transactions, stay.
const goesDown = `SELECT count(*) FROM %[1]s later WHERE EXISTS (SELECT 1 FROM %[1]s sooner
	WHERE sooner.entity = later.entity AND sooner.place < later.place AND sooner.version %[2]s later.version)`

func TestOrderKill(t *testing.T) {
	rounds := kills / 10
	if testing.Short() {
		rounds = 5
	}
	for _, inTx := range []bool{false, true} {
		t.Run(map[bool]string{false: "leases", true: "transactions"}[inTx], func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db idemtest.DB) { orderKill(t, db, inTx, rounds) })
		})
	}
}

func orderKill(t *testing.T, db idemtest.DB, inTx bool, rounds int) {
	db.Exec(t, trail[db.Name()])
	provider := &versionProvider{t: t, db: db, effects: map[string]bool{}, live: map[string]int{}}
	provider.closed = sync.NewCond(&provider.mu)
	socket := provider.listen()
	midway := 0
	for round := range int64(rounds) {
		acked := killWorker(t, storeAddress(db), socket, fmt.Sprintf(ordered+"%t %d", inTx, round))
		provider.quiet()
		// The test delivers as the worker did, over connections that it closes.
		client := dialProvider(socket)
		for _, event := range orderPlan(round) {
			if settlePlanned(t, db, inTx, event, client, acked[event.key()]) {
				midway++
			}
		}
		client.http.CloseIdleConnections()
		provider.quiet()
	}
	for entity := range planEntities {
		(&orderWorker{t: t, db: db}).wantEntity("at last", fmt.Sprint(entity), int64(rounds*planVersions), false)
	}
	done := db.Count(t, "SELECT count(*) FROM job_runs WHERE status = 'done'")
	stale := db.Count(t, "SELECT count(*) FROM job_runs WHERE status = 'stale'")
	if want := rounds * planEntities * planVersions; done+stale != want || done == 0 || stale == 0 {
		t.Errorf("%d runs are done and %d are stale; want %d together, and some of each", done, stale, want)
	}
	if down := db.Count(t, fmt.Sprintf(goesDown, "applied", ">")); down > 0 {
		t.Errorf("versions were applied after newer ones %d times", down)
	}
	if inTx {
		if down := db.Count(t, fmt.Sprintf(goesDown, "deposits", ">=")); down > 0 || db.Count(t, "SELECT count(*) FROM deposits") != done {
			t.Errorf("the work goes down %d times, or is not that of the %d runs that are done", down, done)
		}
	} else if len(provider.effects) < done {
		t.Errorf("%d runs are done, with %d effects", done, len(provider.effects))
	}
	t.Logf("%d kills, %d done, %d stale, %d settled after a lease", rounds, done, stale, midway)
}

// settlePlanned delivers an event again until it is answered, and checks that against
// what the dead worker had answered. It reports whether it had to wait for a lease.
func settlePlanned(t *testing.T, db idemtest.DB, inTx bool, event planned, client *providerClient, acked receipt) (midway bool) {
	t.Helper()
	store := (&txWorker{db: db}).patient(time.Hour)
	got, err := deliverPlanned(t.Context(), db.Name(), store, inTx, event, client)
	// The entity's lease is waited for by tenths, after the key's; and a statement
	// that the dead worker had sent may still take effect.
	for range 30 {
		var busy *idem.InProgressError
		if !errors.As(err, &busy) {
			break
		}
		midway = true
		db.Advance(busy.RetryAfter)
		got, err = deliverPlanned(t.Context(), db.Name(), store, inTx, event, client)
	}
	if errors.Is(err, idem.ErrStale) {
		got, err = receipt{ID: "stale"}, nil
	}
	if err != nil || (acked != receipt{} && acked != got) {
		t.Errorf("%v: %v, error %v; the dead worker had answered %v", event, got, err, acked)
	}
	return midway
}
