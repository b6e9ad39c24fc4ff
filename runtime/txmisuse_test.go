package runtime_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// What a handler must not do to its transaction is refused, or found, and told;
// the attempt is counted.
func TestTxMisused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		swallow := func(_ context.Context, exec func(string) error) (receipt, error) {
			_ = exec("INSERT INTO nowhere VALUES (1)")
			return receipt{}, nil
		}
		for what, misuse := range misuses(w, swallow) {
			key := idem.Key("notify:" + what)
			err := misuse.deliver(key)
			if err == nil || !strings.Contains(err.Error(), misuse.says) {
				t.Errorf("%s: got error %v; want %q", what, err, misuse.says)
			}
			w.want(what, key, misuse.rows)
			w.wantRow(t, what, key, idem.StatusWaiting, 2, 0)
		}
	})
}

type misuse struct {
	says    string
	rows    int // of the work that was committed by the handler itself
	deliver func(idem.Key) error
}

func misuses(w *txWorker, swallow handled) map[string]misuse {
	const insert = "INSERT INTO work VALUES ('%s')"
	ctx := w.t.Context()
	if w.db.Name() == "sqlite" {
		by := func(end func(*sql.Tx) error) func(idem.Key) error {
			return func(key idem.Key) error {
				_, err := deliverTx(ctx, w.store, w.spec, key, func(_ context.Context, tx *sql.Tx) (receipt, error) {
					_, err := tx.Exec(fmt.Sprintf(insert, key))
					return receipt{}, errors.Join(err, end(tx))
				})
				return err
			}
		}
		return map[string]misuse{
			"Rollback": {"the handler has ended its transaction", 0, by((*sql.Tx).Rollback)},
			"Commit":   {"the handler has ended its transaction", 1, by((*sql.Tx).Commit)},
		}
	}
	by := func(end func(pgx.Tx) error) func(idem.Key) error {
		return func(key idem.Key) error {
			_, err := deliverTx(ctx, w.store, w.spec, key, func(ctx context.Context, tx pgx.Tx) (receipt, error) {
				_, err := tx.Exec(ctx, fmt.Sprintf(insert, key))
				return receipt{}, errors.Join(err, end(tx))
			})
			return err
		}
	}
	const ends = "ends with what the handler returns"
	return map[string]misuse{
		"Rollback":           {ends, 0, by(func(tx pgx.Tx) error { return tx.Rollback(ctx) })},
		"Commit":             {ends, 0, by(func(tx pgx.Tx) error { return tx.Commit(ctx) })},
		"Rollback, silently": {ends, 0, by(func(tx pgx.Tx) error { _ = tx.Rollback(ctx); return nil })},
		"ROLLBACK":           {"the handler ended its transaction by a statement", 0, by(func(tx pgx.Tx) error { _, err := tx.Exec(ctx, "ROLLBACK"); return err })},
		"COMMIT":             {"the handler ended its transaction by a statement", 1, by(func(tx pgx.Tx) error { _, err := tx.Exec(ctx, "COMMIT"); return err })},
		"swallowed error": {pgx.ErrTxCommitRollback.Error(), 0, func(key idem.Key) error {
			_, err := w.deliver(ctx, key, swallow)
			if err != nil && !errors.Is(err, pgx.ErrTxCommitRollback) {
				err = fmt.Errorf("not ErrTxCommitRollback: %s", err.Error()[:10])
			}
			return err
		}},
		"deferred constraint": {"23505", 0, by(func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS late (id int, UNIQUE (id) DEFERRABLE INITIALLY DEFERRED); INSERT INTO late VALUES (1), (1)`)
			return err
		})},
	}
}

// A store without transactions, or with others, is told before the handler runs.
func TestTxStoreThatDoesNotFit(t *testing.T) {
	_, err := deliverTx(t.Context(), &scripted{}, leased, key, func(context.Context, pgx.Tx) (receipt, error) {
		t.Error("the handler ran")
		return receipt{}, nil
	})
	if err == nil || !strings.Contains(err.Error(), "begins no transactions") {
		t.Errorf("a store without transactions: %v", err)
	}
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		_, err := deliverTx(t.Context(), w.store, leased, key, func(context.Context, *testing.T) (receipt, error) {
			t.Error("the handler ran")
			return receipt{}, nil
		})
		if err == nil || !strings.Contains(err.Error(), "the handler takes another") {
			t.Errorf("a store with others: %v", err)
		}
		w.want("then", key, 0)
	})
}
