package storetest

import (
	"context"
	"fmt"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// inOrderTx continues the list of promises, as doc.go has it.
var inOrderTx = []struct {
	text string
	test func(*txSuite, *orderSuite)
}{
	{"In a transaction an entity is entered and applied together with the run; nobody sees any of it before.", txEntity},
	{"A transaction that is rolled back leaves the entity as it was.", txEntityRollback},
	{"An entry whose entity a transaction has waits no longer than the lock timeout; its own transaction is over, and has changed nothing.", txEntityLocked},
	{"An entry that waits for a transaction is stale if a newer version is committed, and holds if it is rolled back.", txEntityWaits},
	{"A run is committed as stale in the transaction that has found that out.", txStale},
}

// RunOrderTx tests how a store keeps entities in the transactions of runs.
func RunOrderTx(t *testing.T, open func(testing.TB) TxHarness) {
	first := len(promises) + len(faults) + len(inTransactions) + len(maintenance) + len(inOrder) + len(orderFaults) + 1
	for i, p := range inOrderTx {
		t.Run(fmt.Sprintf("%02d %s", first+i, p.text), func(t *testing.T) {
			t.Parallel()
			h := open(t)
			h.Exec(t, "CREATE TABLE work (what text)")
			p.test(&txSuite{&suite{TB: t, Harness: h.Harness}, h}, newOrderSuite(t, h.Harness, nil))
		})
	}
}

// enterTx claims the key of an event, and then asks for its entity, in one
// transaction.
func (s *txSuite) enterTx(store idem.TxStore, entity string, version int64) (idem.Record, idem.Tx, idem.Entity) {
	s.Helper()
	req := event(entity, version)
	rec, tx := s.holdTx(store, req.Key)
	req.Owner = rec.Owner
	got, err := tx.(idem.Entities).Enter(context.Background(), req)
	s.must(err)
	return rec, tx, got
}

// commitTx applies a version and completes the run.
func (s *txSuite) commitTx(tx idem.Tx, rec idem.Record, entity idem.Entity, version int64) {
	s.Helper()
	s.must(tx.(idem.Entities).Apply(context.Background(), entity.Token(), version))
	s.must(tx.Complete(context.Background(), rec.Token(), done))
}

func txEntity(s *txSuite, o *orderSuite) {
	store := s.tx.TxStore(late)
	rec, tx, entity := s.enterTx(store, "account:7", 3)
	o.wantEntity("entered", entity, idem.Entity{
		Handler: handler, Name: "account:7", Lease: 1, Key: "account:7:3", Owner: rec.Owner, Held: true, Remaining: lease,
	})
	s.must(tx.(idem.Entities).Keep(context.Background(), entity.Token(), lease))
	if n := o.there(); n != 0 {
		s.Errorf("%d entities are seen from outside", n)
	}
	s.work(tx)
	s.commitTx(tx, rec, entity, 3)
	s.wantWork("after the commit", 1)
	entity.Version, entity.Applied, entity.Held, entity.Remaining = 3, true, false, 0
	o.wantEntity("after the commit", o.enter(event("account:7", 2)), entity)

	rec, tx, entity = s.enterTx(store, "account:7", 4)
	s.must(tx.(idem.Entities).Leave(context.Background(), entity.Token()))
	s.must(tx.Complete(context.Background(), rec.Token(), done))
	if e := o.enter(event("account:7", 2)); e.Version != 3 || e.Held || e.Lease != 2 {
		s.Errorf("left: %s", showEntity(e))
	}
	rec, tx, entity = s.enterTx(store, "account:7", 5)
	s.must(s.tx.Work(tx, "DELETE FROM "+s.Table+"_order"))
	s.wantLost("the handler has deleted the row", tx.(idem.Entities).Apply(context.Background(), entity.Token(), 5))
	tx.Rollback(context.Background())
	s.wantAbsent(rec.Key)
}

func txEntityRollback(s *txSuite, o *orderSuite) {
	store := s.tx.TxStore(late)
	for _, before := range []func(){
		func() {},
		func() { o.apply(o.holdEntity("account:7", 1).Token(), 1) },
		func() { o.holdEntity("account:7", 1); s.Advance(lease + tick) },
	} {
		before()
		o.wantSame("rolled back", func() {
			_, tx, entity := s.enterTx(store, "account:7", 2)
			s.must(tx.(idem.Entities).Apply(context.Background(), entity.Token(), 2))
			tx.Rollback(context.Background())
		})
		s.wantWork("rolled back", 0)
	}
	held := o.holdEntity("account:8", 1) // by a run outside of transactions
	o.wantSame("held by a lease", func() {
		_, tx, entity := s.enterTx(store, "account:8", 2)
		o.wantEntity("held by a lease", entity, held)
		tx.Rollback(context.Background())
	})
}

// The two are of one entity, but of different keys. SQLite has one writer at a
// time, so that there it is the claim of the key that waits.
func txEntityLocked(s *txSuite, o *orderSuite) {
	for _, version := range []int64{1, 9} { // the second time, the entity is there
		rec, tx, entity := s.enterTx(s.tx.TxStore(late), "account:7", version)
		req := event("account:7", version+1)
		beside, other := s.askTx(s.tx.TxStore(soon), request(req.Key))
		if other != nil {
			req.Owner = beside.Owner
			got, err := other.(idem.Entities).Enter(context.Background(), req)
			s.must(err)
			o.wantEntity("beside it", got, idem.Entity{Handler: handler, Name: "account:7", Held: true, Remaining: soon})
			defer other.Rollback(context.Background()) // of what is over, which wantWork looks for
		} else if beside.Remaining != soon {
			s.Errorf("beside it: %s", show(beside))
		}
		s.commitTx(tx, rec, entity, version)
		s.wantAbsent(req.Key)
		s.wantWork("after an entry in vain", 0)
	}
}

func txEntityWaits(s *txSuite, o *orderSuite) {
	for how, end := range map[string]func(idem.Tx, idem.Record, idem.Entity){
		"committed":   func(tx idem.Tx, rec idem.Record, e idem.Entity) { s.commitTx(tx, rec, e, 5) },
		"rolled back": func(tx idem.Tx, _ idem.Record, _ idem.Entity) { tx.Rollback(context.Background()) },
	} {
		for _, there := range []bool{false, true} {
			name := fmt.Sprint(how, there)
			if there {
				o.apply(o.holdEntity(name, 1).Token(), 1)
			}
			store := s.tx.TxStore(late)
			rec, tx, entity := s.enterTx(store, name, 5)
			started, answer := make(chan struct{}), make(chan entered, 1)
			go func() {
				close(started)
				answer <- claimAndEnter(store, event(name, 4))
			}()
			<-started
			end(tx, rec, entity)
			a := <-answer
			s.must(a.err)
			got := a.entity
			if stale := how == "committed"; got.Stale(4) != stale || got.Held == stale {
				s.Errorf("%s: who waited got %s", name, showEntity(got))
			}
		}
	}
}

// entered is what a delivery in a goroutine of its own was answered.
type entered struct {
	entity idem.Entity
	err    error
}

// claimAndEnter asks for a key that is new, and for its entity, and then leaves
// everything as it was.
func claimAndEnter(store idem.TxStore, req idem.EntityRequest) (a entered) {
	claim := request(req.Key)
	_, tx, err := store.ClaimTx(context.Background(), claim)
	if err != nil {
		return entered{err: err}
	}
	defer tx.Rollback(context.Background())
	req.Owner = claim.Owner
	a.entity, a.err = tx.(idem.Entities).Enter(context.Background(), req)
	return a
}

func txStale(s *txSuite, o *orderSuite) {
	o.apply(o.holdEntity("account:7", 5).Token(), 5)
	rec, tx, entity := s.enterTx(s.tx.TxStore(late), "account:7", 4)
	if !entity.Stale(4) {
		s.Fatalf("got %s", showEntity(entity))
	}
	s.must(tx.Complete(context.Background(), rec.Token(), idem.Outcome{Status: idem.StatusStale, Error: "older than 5"}))
	s.wantWork("after the commit", 0)
	if got := s.lookup(rec.Key); got.Status != idem.StatusStale || got.Error != "older than 5" || got.Token() != rec.Token() {
		s.Errorf("left %s", show(got))
	}
}
