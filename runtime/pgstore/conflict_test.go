package pgstore_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// conflicting is a database that cannot serialize the next statements.
type conflicting struct {
	pgstore.DB
	code string
	left *int
	sets *[]string // what the transactions were set to
}

func (c conflicting) conflict() error {
	if *c.left == 0 {
		return nil
	}
	*c.left--
	return &pgconn.PgError{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: c.code}
}

func (c conflicting) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := c.conflict(); err != nil {
		return pgconn.CommandTag{}, err
	}
	return c.DB.Exec(ctx, sql, args...)
}

func (c conflicting) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := c.conflict(); err != nil {
		return rowFunc(func(...any) error { return err })
	}
	return c.DB.QueryRow(ctx, sql, args...)
}

func (c conflicting) Begin(ctx context.Context) (pgx.Tx, error) {
	tx, err := c.DB.Begin(ctx)
	return conflictingTx{tx, c}, err
}

type conflictingTx struct {
	pgx.Tx
	of conflicting
}

func (t conflictingTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if len(args) == 0 {
		*t.of.sets = append(*t.of.sets, sql)
		return t.Tx.Exec(ctx, sql)
	}
	return conflicting{t.Tx, t.of.code, t.of.left, t.of.sets}.Exec(ctx, sql, args...)
}

func (t conflictingTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return conflicting{t.Tx, t.of.code, t.of.left, t.of.sets}.QueryRow(ctx, sql, args...)
}

func TestConflictsAreTriedAgain(t *testing.T) {
	for _, code := range []string{"40001", "40P01"} {
		t.Run(code, func(t *testing.T) {
			db := open(t)
			var left int
			var sets []string
			store := pgstore.New(conflicting{pgtest.Pool(db), code, &left, &sets}, pgstore.WithClock(pgtest.Clock))
			conflictTwice := func() {
				t.Helper()
				if left != 0 {
					t.Fatal("the statement before did not come")
				}
				left = 2
			}
			ctx := t.Context()
			hold(t, store, "notify:first") // which also reads the table's version

			conflictTwice()
			held := hold(t, store, "notify:1")
			conflictTwice()
			must(t, store.Extend(ctx, held.Token(), lease))
			conflictTwice()
			must(t, store.Release(ctx, held.Token(), idem.Release{Attempts: 3}))
			held = hold(t, store, "notify:1")
			conflictTwice()
			must(t, store.Complete(ctx, held.Token(), idem.Outcome{Status: idem.StatusDone}))
			conflictTwice()
			_, err := store.Sweep(ctx, 9)
			must(t, err)
			conflictTwice()
			_, err = store.Purge(ctx, "notify", lease, 9)
			must(t, err)

			var want []string
			for range 6 * 2 {
				want = append(want, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
			}
			if diff := cmp.Diff(want, sets); diff != "" {
				t.Errorf("transactions (-want +got):\n%s", diff)
			}
		})
	}
}

// idle is a transaction that does nothing.
type idle struct{ pgx.Tx }

func (idle) Begin(context.Context) (pgx.Tx, error) { return idle{}, nil }
func (idle) Rollback(context.Context) error        { return nil }
func (idle) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, nil
}

func TestConflictsAreTriedAgainNotForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := math.MaxInt
		var sets []string
		store := pgstore.New(conflicting{idle{}, "40001", &left, &sets})
		start := time.Now()
		_, err := store.Claim(t.Context(), request("notify:1"))
		var pgErr *pgconn.PgError
		if took := time.Since(start); !errors.As(err, &pgErr) || pgErr.Code != "40001" || took > 10*time.Second || len(sets) > 200 {
			t.Errorf("got %v after %d tries in %v", err, len(sets), took)
		}
	})
}

// forgetting commits, and says that nothing was sent.
type forgetting struct{ pgstore.DB }

func (f forgetting) Begin(ctx context.Context) (pgx.Tx, error) {
	tx, err := f.DB.Begin(ctx)
	return forgettingTx{tx}, err
}

type forgettingTx struct{ pgx.Tx }

func (f forgettingTx) Commit(ctx context.Context) error {
	if err := f.Tx.Commit(ctx); err != nil {
		return err
	}
	return unsentError{}
}

type unsentError struct{}

func (unsentError) Error() string     { return "conn closed" }
func (unsentError) SafeToRetry() bool { return true }

// A commit is not believed to be unsent: pgx says so where its answer was lost.
func TestLostCommitOfAnotherTry(t *testing.T) {
	db := open(t)
	var left int
	var sets []string
	store := pgstore.New(conflicting{forgetting{pgtest.Pool(db)}, "40001", &left, &sets}, pgstore.WithClock(pgtest.Clock))
	held := hold(t, store, "notify:1")
	left = 1
	if err := store.Release(t.Context(), held.Token(), idem.Release{Error: "later", Attempts: 3}); err != nil || len(sets) != 1 {
		t.Errorf("released: %v, in %d transactions", err, len(sets))
	}
	if rec, err := store.Lookup(t.Context(), "notify:1"); err != nil || rec.Attempt != 2 {
		t.Errorf("then found %+v, %v", rec, err)
	}
}
