package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var (
	_ idem.TxStore = (*Store)(nil)
	_ protocol.Tx  = (*txRuns)(nil)
)

const defaultLockTimeout = 2 * time.Second

// WithLockTimeout says how long a transactional handler's claim waits for the
// file, in which there is one writer at a time: two seconds if this option is not
// given. So long does a delivery wait for another transactional handler, of its
// own key or of another, before it is told to come back.
func WithLockTimeout(d time.Duration) Option { return func(o *options) { o.lockTimeout = d } }

// ClaimTx implements [idem.TxStore]. The transaction's first statement is the
// insert that claims, so that it has the file's write lock from its beginning on.
// Its handle is a [*sql.Tx].
func (s *Store) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	if err := s.current(ctx); err != nil {
		return idem.Record{}, nil, err
	}
	opener := protocol.Opener{Table: s.runs, Wait: s.lockTimeout, Begin: func(idem.ClaimRequest) protocol.Tx {
		return &txRuns{runs: s.runs, wait: s.lockTimeout}
	}}
	rec, held, err := opener.Claim(ctx, req)
	if held == nil {
		return rec, nil, s.runs.explain(err)
	}
	return rec, heldTx{held, s.entities}, nil
}

// errBusyCommit marks a commit that a reader kept from being made.
var errBusyCommit = errors.New("the file was locked")

// Conflicted implements [idem.TxStore]. Who has the write lock from its beginning
// on conflicts with nobody, but with readers of a file that is not in WAL mode.
func (s *Store) Conflicted(err error) bool { return errors.Is(err, errBusyCommit) }

// heldTx is a held run as [idem.Tx] has it.
type heldTx struct {
	*protocol.Held
	entities entities
}

func (h heldTx) Handle() any { return h.Tx.(*txRuns).tx }

// txRuns is the table of runs in a transaction, on a connection of its own.
type txRuns struct {
	runs
	wait time.Duration
	conn *sql.Conn
	tx   *sql.Tx // nil until it is begun
}

// Insert begins the transaction if it is the first, and as often as the file is
// locked: a transaction that may have seen the file already would keep others
// from writing, and itself from writing after them.
func (t *txRuns) Insert(ctx context.Context, req idem.ClaimRequest) (idem.Record, bool, error) {
	if t.tx != nil {
		return t.runs.Insert(ctx, req)
	}
	pauses := protocol.NewBackoff(time.Millisecond, 50*time.Millisecond, t.wait)
	for {
		rec, inserted, err := t.begin(ctx, req)
		if !locked(err) {
			return rec, inserted, err
		}
		t.Rollback(ctx)
		t.tx, t.among = nil, nil
		if !pauses.Wait(ctx) {
			return rec, inserted, err
		}
	}
}

// begin tries once. The driver does not wait for the file meanwhile, which it may
// be told to do for longer than this is to.
func (t *txRuns) begin(ctx context.Context, req idem.ClaimRequest) (rec idem.Record, inserted bool, err error) {
	if t.conn, err = t.db.Conn(ctx); err != nil {
		return rec, false, unsent(err)
	}
	patient, err := t.impatient(ctx)
	if err != nil {
		return rec, false, err
	}
	defer patient()
	// Without cancelling, which would end the transaction: that is for Commit
	// and Rollback.
	if t.tx, err = t.conn.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
		return rec, false, err
	}
	t.among = t.tx
	return t.runs.Insert(ctx, req)
}

// impatient has the connection wait for no lock, until the func that it returns
// is called.
func (t *txRuns) impatient(ctx context.Context) (patient func(), err error) {
	var timeout int
	if err = t.conn.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&timeout); err != nil {
		return nil, err
	}
	set := func(ctx context.Context, millis int) (err error) {
		_, err = t.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", millis))
		return err
	}
	return func() { _ = set(context.WithoutCancel(ctx), timeout) }, set(ctx, 0)
}

// Complete implements [protocol.Table].
func (t *txRuns) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) (bool, error) {
	done, err := t.runs.Complete(ctx, token, outcome)
	if errors.Is(err, sql.ErrTxDone) {
		err = errEnded
	}
	return done, err
}

var errEnded = errors.New("the handler has ended its transaction, which ends with what the handler returns: let it return nil to commit, and an error to roll back")

// Busy implements [protocol.Tx].
func (t *txRuns) Busy(err error) bool { return locked(err) }

// Commit implements [protocol.Tx].
func (t *txRuns) Commit(context.Context) error {
	err := t.tx.Commit()
	if locked(err) {
		err = fmt.Errorf("%w: %w", errBusyCommit, err)
	}
	return err
}

// Rollback implements [protocol.Tx].
func (t *txRuns) Rollback(context.Context) {
	if t.tx != nil {
		_ = t.tx.Rollback() // an error says that it has ended
	}
	if t.conn != nil {
		_ = t.conn.Close() // back to the pool
		t.conn = nil
	}
}
