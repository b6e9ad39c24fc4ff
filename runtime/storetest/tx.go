package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// TxHarness is a Harness of a store that begins transactions.
type TxHarness struct {
	Harness
	// TxStore returns the store with a lock timeout.
	TxStore func(lockTimeout time.Duration) idem.TxStore
	// Work runs a statement that both dialects understand in a transaction,
	// through its handle.
	Work func(tx idem.Tx, query string) error
	// Idle reports whether the store has given every connection back, without
	// an open transaction.
	Idle func() bool
}

// inTransactions continue the list of promises, as doc.go has it.
var inTransactions = []struct {
	text string
	test func(*txSuite)
}{
	{"A claim in a transaction is answered as one outside would be, and holds a connection only while it holds the run.", txAnswers},
	{"Work, claim and completion are committed together; nobody sees any of it before.", txTogether},
	{"A transaction that is rolled back leaves nothing, and the key can be claimed at once.", txRollback},
	{"A claim whose key a transaction has waits no longer than its lock timeout, and changes nothing.", txLocked},
	{"A claim that waits for a transaction gets its result if it is committed, and the run if it is rolled back.", txWaits},
	{"A release in a transaction is counted as one outside is.", txRelease},
	{"A transaction whose handler has written the run's row commits nothing.", txFence},
}

// RunTx tests how a store holds runs in transactions.
func RunTx(t *testing.T, open func(testing.TB) TxHarness) {
	for i, p := range inTransactions {
		t.Run(fmt.Sprintf("%02d %s", len(promises)+len(faults)+i+1, p.text), func(t *testing.T) {
			t.Parallel()
			h := open(t)
			h.Exec(t, "CREATE TABLE work (what text)")
			p.test(&txSuite{&suite{TB: t, Harness: h.Harness}, h})
		})
	}
}

// txSuite is a suite with the calls that these tests make.
type txSuite struct {
	*suite
	tx TxHarness
}

// soon is a lock timeout for tests that wait for it, and late for those in which
// nobody does.
const (
	soon = 50 * time.Millisecond
	late = time.Hour
)

func (s *txSuite) askTx(store idem.TxStore, req idem.ClaimRequest) (idem.Record, idem.Tx) {
	s.Helper()
	rec, tx, err := store.ClaimTx(context.Background(), req)
	s.must(err)
	if (tx != nil) != rec.HeldBy(req.Owner) {
		s.Fatalf("claim %q: a transaction: %t, for %s", req.Key, tx != nil, show(rec))
	}
	return rec, tx
}

func (s *txSuite) holdTx(store idem.TxStore, key idem.Key) (idem.Record, idem.Tx) {
	s.Helper()
	rec, tx := s.askTx(store, request(key))
	if tx == nil {
		s.Fatalf("claim %q: not granted: %s", key, show(rec))
	}
	return rec, tx
}

func (s *txSuite) work(tx idem.Tx) {
	s.Helper()
	s.must(s.tx.Work(tx, "INSERT INTO work VALUES ('done')"))
}

// wantWork checks how often work was committed, and that nothing is open.
func (s *txSuite) wantWork(what string, want int) {
	s.Helper()
	if !s.tx.Idle() {
		s.Errorf("%s: a connection is still held", what)
	}
	if n := s.Count(s, "SELECT count(*) FROM work"); n != want {
		s.Errorf("%s: the work was committed %d times, want %d", what, n, want)
	}
}

// done is the outcome of work that has gone well.
var done = idem.Outcome{Status: idem.StatusDone, Result: []byte("result")}

func txAnswers(s *txSuite) {
	store := s.tx.TxStore(late)
	for state, arrange := range states {
		for _, redelivered := range []bool{false, true} {
			plain, within := request(idem.Key(state+", plain")), request(idem.Key(state+", within"))
			arrange(s.suite, plain.Key)
			arrange(s.suite, within.Key)
			plain.Redelivered, within.Redelivered = redelivered, redelivered
			want := s.ask(plain)
			got, tx := s.askTx(store, within)
			if tx != nil {
				s.must(tx.Complete(context.Background(), got.Token(), done))
				s.complete(want.Token(), "result")
			}
			s.wantWork(state, 0)
			for _, pair := range [][2]idem.Record{{got, want}, {s.lookup(within.Key), s.lookup(plain.Key)}} {
				got, want := pair[0], pair[1]
				if want.Owner != (idem.Owner{}) {
					got.Owner = want.Owner
				}
				got.Key = want.Key
				s.wantRecord(state, got, want)
			}
			s.remove(plain.Key)
			s.remove(within.Key)
		}
	}
	other := request("charge:1")
	other.Handler, other.Fingerprint = "charge", values(1)
	s.ask(other)
	s.Advance(2 * lease)
	for what, change := range map[string]func(*idem.ClaimRequest){
		"another handler": func(r *idem.ClaimRequest) { r.Handler = handler },
		"other values":    func(r *idem.ClaimRequest) { r.Fingerprint = values(2) },
	} {
		req := other
		req.Owner = idem.NewOwner()
		change(&req)
		s.wantUntouched(what, func() { s.askTx(store, req) })
		s.wantWork(what, 0)
	}
}

func txTogether(s *txSuite) {
	held, tx := s.holdTx(s.tx.TxStore(late), "notify:1")
	s.wantRecord("claim", held, idem.Record{
		Key: "notify:1", Handler: handler, Status: idem.StatusRunning, Attempt: 1, Owner: held.Owner, Remaining: lease,
	})
	s.work(tx)
	if s.tx.Idle() {
		s.Error("no connection is held for the handler")
	}
	s.wantAbsent("notify:1")
	s.must(tx.Complete(context.Background(), held.Token(), done))
	s.wantWork("after the commit", 1)
	if rec := s.lookup("notify:1"); rec.Status != idem.StatusDone || string(rec.Result) != "result" || rec.Token() != held.Token() {
		s.Errorf("after the commit: %s", show(rec))
	}
	tx.Rollback(context.Background())
	s.wantWork("a rollback after the commit", 1)
}

func txRollback(s *txSuite) {
	store := s.tx.TxStore(late)
	for state, arrange := range map[string]func(*suite, idem.Key){"new": func(*suite, idem.Key) {}, "due": states["due"], "expired": states["expired"]} {
		key := idem.Key(state)
		arrange(s.suite, key)
		var first idem.Record
		s.wantUntouched(state, func() {
			var tx idem.Tx
			first, tx = s.holdTx(store, key)
			s.work(tx)
			tx.Rollback(context.Background())
			tx.Rollback(context.Background())
			s.wantWork("after a rollback", 0)
			if err := tx.Complete(context.Background(), first.Token(), done); err == nil {
				s.Errorf("%s: completed after a rollback", state)
			}
		})
		if again := s.hold(key); again.Attempt != first.Attempt {
			s.Errorf("%s: claimed again as %s, after %s", state, show(again), show(first))
		}
	}
}

func txLocked(s *txSuite) {
	held, tx := s.holdTx(s.tx.TxStore(late), "notify:1")
	rec, _ := s.askTx(s.tx.TxStore(soon), request("notify:1"))
	s.wantRecord("a claim beside it", rec, idem.Record{Key: "notify:1", Handler: handler, Status: idem.StatusRunning, Remaining: soon})
	s.must(tx.Complete(context.Background(), held.Token(), done))
	if rec := s.lookup("notify:1"); rec.Status != idem.StatusDone || rec.Token() != held.Token() {
		s.Errorf("then it is committed: %s", show(rec))
	}
	s.wantWork("after a claim in vain", 0)
}

func txWaits(s *txSuite) {
	for how, end := range map[string]func(idem.Tx, idem.Token){
		"committed":   func(tx idem.Tx, token idem.Token) { s.must(tx.Complete(context.Background(), token, done)) },
		"rolled back": func(tx idem.Tx, _ idem.Token) { tx.Rollback(context.Background()) },
	} {
		key := idem.Key(how)
		store := s.tx.TxStore(late)
		first, tx := s.holdTx(store, key)
		type answer struct {
			rec idem.Record
			tx  idem.Tx
			err error
		}
		answers, started := make(chan answer, 1), make(chan struct{})
		go func() {
			close(started)
			var a answer
			a.rec, a.tx, a.err = store.ClaimTx(context.Background(), request(key))
			answers <- a
		}()
		<-started
		end(tx, first.Token())
		a := <-answers
		s.must(a.err)
		if committed := how == "committed"; committed != (a.rec.Status == idem.StatusDone) || committed != (a.tx == nil) || a.rec.Attempt != 1 {
			s.Errorf("%s: who waited got %s", how, show(a.rec))
		}
		if a.tx != nil {
			a.tx.Rollback(context.Background())
		}
		s.wantWork(how, 0)
	}
}

func txRelease(s *txSuite) {
	store := s.tx.TxStore(late)
	for name, release := range map[string]idem.Release{
		"plain": {Error: "later", Attempts: limit},
		"last":  {Error: "no more"},
		"hold":  {Delay: lease, Error: "too early", Hold: true, Attempts: limit},
	} {
		outside, within := s.hold(idem.Key(name+", outside")), idem.Key(name+", within")
		s.must(s.Store.Release(context.Background(), outside.Token(), release))
		held, tx := s.holdTx(store, within)
		s.work(tx)
		s.must(tx.Release(context.Background(), held.Token(), release))
		want := s.lookup(outside.Key)
		want.Key = within
		s.wantRecord(name, s.lookup(within), want)
	}
	s.wantWork("releases commit, too", 3)
}

func txFence(s *txSuite) {
	store := s.tx.TxStore(late)
	for _, change := range []string{"DELETE FROM " + s.Table, "UPDATE " + s.Table + " SET attempts = attempts + 1", "UPDATE " + s.Table + " SET status = 'done', completed_at = created_at"} {
		held, tx := s.holdTx(store, "notify:1")
		s.work(tx)
		s.must(s.tx.Work(tx, change))
		s.wantLost(change, tx.Complete(context.Background(), held.Token(), done))
		s.wantWork(change, 0)
		s.wantAbsent("notify:1")
	}
}
