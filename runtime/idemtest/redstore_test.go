package idemtest_test

import (
	"context"
	"fmt"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// stored puts a store with a fault between the wrapper and the database.
func stored(broken func(idem.Store, idemtest.DB) idem.Store) fault {
	return func(s *idemtest.Suite[receipt], db idemtest.DB) {
		sound := s.Deliver
		s.Deliver = func(ctx context.Context, store idem.Store, n int, handle func(context.Context) (receipt, error)) (receipt, error) {
			return sound(ctx, broken(store, db), n, handle)
		}
	}
}

// brokenStore is a store of which some methods are others.
type brokenStore struct {
	idem.Store
	claim    func(context.Context, idem.ClaimRequest) (idem.Record, error)
	complete func(context.Context, idem.Token, idem.Outcome) error
}

func (b brokenStore) Claim(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
	if b.claim != nil {
		return b.claim(ctx, req)
	}
	return b.Store.Claim(ctx, req)
}

func (b brokenStore) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
	if b.complete != nil {
		return b.complete(ctx, token, outcome)
	}
	return b.Store.Complete(ctx, token, outcome)
}

// run executes a statement that a sound store would not.
func run(ctx context.Context, db idemtest.DB, query string, args ...any) error {
	if _, err := db.SQL().ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("the fault itself: %w", err)
	}
	return nil
}

func unfenced(store idem.Store, db idemtest.DB) idem.Store {
	return brokenStore{Store: store, complete: func(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
		if err := store.Complete(ctx, token, outcome); err == nil {
			return nil
		}
		return run(ctx, db, "UPDATE job_runs SET result = $1 WHERE key = $2", outcome.Result, string(token.Key))
	}}
}

func touching(store idem.Store, db idemtest.DB) idem.Store {
	return brokenStore{Store: store, complete: func(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
		err := store.Complete(ctx, token, outcome)
		if err != nil {
			_ = run(ctx, db, "UPDATE job_runs SET holds = holds + 1 WHERE key = $1", string(token.Key))
		}
		return err
	}}
}

// reclaiming takes the key although it is in a state that nobody may take.
func reclaiming(status idem.Status) func(idem.Store, idemtest.DB) idem.Store {
	return func(store idem.Store, db idemtest.DB) idem.Store {
		return brokenStore{Store: store, claim: func(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
			rec, err := store.Claim(ctx, req)
			for err == nil && rec.Status == status && !rec.HeldBy(req.Owner) {
				if err = run(ctx, db, "DELETE FROM job_runs WHERE key = $1", string(req.Key)); err == nil {
					rec, err = store.Claim(ctx, req)
				}
			}
			return rec, err
		}}
	}
}

var (
	lettingIn = reclaiming(idem.StatusRunning)
	forgetful = reclaiming(idem.StatusDone)
)

func lossy(store idem.Store, _ idemtest.DB) idem.Store {
	return brokenStore{Store: store, complete: func(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
		outcome.Result = []byte("{}")
		return store.Complete(ctx, token, outcome)
	}}
}

// long lets a lease hold for twice its time.
func long(store idem.Store, _ idemtest.DB) idem.Store {
	return brokenStore{Store: store, claim: func(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
		req.Lease *= 2
		return store.Claim(ctx, req)
	}}
}

// short lets a lease be over as soon as another worker asks.
func short(store idem.Store, db idemtest.DB) idem.Store {
	return brokenStore{Store: store, claim: func(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
		if err := run(ctx, db, "UPDATE job_runs SET due = created_at WHERE status = 'running'"); err != nil {
			return idem.Record{}, err
		}
		return store.Claim(ctx, req)
	}}
}

func countless(store idem.Store, db idemtest.DB) idem.Store {
	return brokenStore{Store: store, complete: func(ctx context.Context, token idem.Token, outcome idem.Outcome) error {
		if err := store.Complete(ctx, token, outcome); err != nil {
			return err
		}
		return run(ctx, db, "UPDATE job_runs SET attempts = 1 WHERE key = $1", string(token.Key))
	}}
}

func littering(store idem.Store, _ idemtest.DB) idem.Store {
	return brokenStore{Store: store, claim: func(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
		other := req
		other.Key += "x"
		if _, err := store.Claim(ctx, other); err != nil {
			return idem.Record{}, err
		}
		return store.Claim(ctx, req)
	}}
}

// lenient does not compare values with those of some runs.
func lenient(with func(idem.Record) bool) func(idem.Store, idemtest.DB) idem.Store {
	return func(store idem.Store, _ idemtest.DB) idem.Store {
		return brokenStore{Store: store, claim: func(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
			rec, err := store.Claim(ctx, req)
			if err == nil && rec.DiffersFrom(req.Fingerprint) && with(rec) {
				req.Fingerprint = nil
				rec, err = store.Claim(ctx, req)
				rec.Fingerprint = nil
			}
			return rec, err
		}}
	}
}

var (
	uncomparing = lenient(func(idem.Record) bool { return true })
	takingOver  = lenient(func(rec idem.Record) bool { return rec.Status == idem.StatusRunning && rec.Remaining <= 0 })
	replaying   = lenient(func(rec idem.Record) bool { return rec.Status == idem.StatusDone })
)

// unlearning forgets a run's values when it meets others.
func unlearning(store idem.Store, db idemtest.DB) idem.Store {
	return brokenStore{Store: store, claim: func(ctx context.Context, req idem.ClaimRequest) (idem.Record, error) {
		rec, err := store.Claim(ctx, req)
		if err == nil && rec.DiffersFrom(req.Fingerprint) {
			err = run(ctx, db, "UPDATE job_runs SET fingerprint = NULL WHERE key = $1", string(req.Key))
		}
		return rec, err
	}}
}
