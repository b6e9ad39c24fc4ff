package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var (
	_ idem.TxStore = (*Store)(nil)
	_ protocol.Tx  = (*txRuns)(nil)
	_ DB           = (*txDB)(nil)
)

// lockNotAvailable is what a statement ends with that waited for lock_timeout.
const lockNotAvailable = "55P03"

const defaultLockTimeout = 2 * time.Second

// WithLockTimeout says how long statements of a transactional handler's
// transaction, and those of a sweep or a purge, wait for a lock: two seconds if
// this option is not given, at least a millisecond. So long does a delivery wait
// for another one that has its key, before it is told to come back, and a sweep
// for a row, before it does without it.
func WithLockTimeout(d time.Duration) Option { return func(o *options) { o.lockTimeout = d } }

// ClaimTx implements [idem.TxStore]. The transaction is begun under READ
// COMMITTED, with a lock_timeout and an idle_in_transaction_session_timeout of
// the lease, in the round trip of the insert that claims. Its handle is a
// [pgx.Tx].
func (s *Store) ClaimTx(ctx context.Context, req idem.ClaimRequest) (idem.Record, idem.Tx, error) {
	if err := s.current(ctx); err != nil {
		return idem.Record{}, nil, err
	}
	opener := protocol.Opener{Table: s.table, Wait: s.lockTimeout, Begin: func(req idem.ClaimRequest) protocol.Tx {
		db := &txDB{pool: s.runs, lock: s.lockTimeout, idle: req.Lease}
		return &txRuns{runs: s.runs.on(db), tx: db}
	}}
	rec, held, err := opener.Claim(ctx, req)
	if held == nil {
		return rec, nil, s.runs.explain(err)
	}
	return rec, heldTx{held, s.entities}, nil
}

// Conflicted implements [idem.TxStore]: it knows 40001 and 40P01.
func (s *Store) Conflicted(err error) bool { return conflicted(err) }

// heldTx is a held run as [idem.Tx] has it.
type heldTx struct {
	*protocol.Held
	entities entities
}

func (h heldTx) Handle() any { return h.Tx.(*txRuns).tx.work }

// txRuns is the table of runs in a transaction.
type txRuns struct {
	runs
	tx *txDB
}

func (t *txRuns) Complete(ctx context.Context, token idem.Token, outcome idem.Outcome) (bool, error) {
	if err := t.tx.work.misused(); err != nil {
		return false, err
	}
	return t.runs.Complete(ctx, token, outcome)
}

// Busy implements [protocol.Tx].
func (t *txRuns) Busy(err error) bool { return sqlState(err) == lockNotAvailable }

// Commit implements [protocol.Tx].
func (t *txRuns) Commit(ctx context.Context) error { return t.tx.end(ctx, pgx.Tx.Commit) }

// Rollback implements [protocol.Tx]. If it fails, the connection is closed, which
// does it as well.
func (t *txRuns) Rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = t.tx.end(ctx, pgx.Tx.Rollback)
}

// Fate implements [protocol.Table], for errors of a commit. What Postgres rolls
// back when it is to commit is told; all else that it does not say itself is open.
// pgx calls a commit whose answer was lost safe to retry.
func (t *txRuns) Fate(err error) protocol.Fate {
	var pgErr *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrTxCommitRollback):
		return protocol.Refused
	case !errors.As(err, &pgErr):
		return protocol.Unknown
	}
	return t.runs.Fate(err)
}

const rollbackTimeout = 5 * time.Second

// txDB is a transaction on a connection of its own. The first query begins it,
// in one round trip.
type txDB struct {
	pool       runs // where the connection comes from
	lock, idle time.Duration

	work    *workTx
	release func()
}

// QueryRow implements [DB].
func (t *txDB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if t.work == nil {
		return t.begin(ctx, sql, args)
	}
	return t.work.QueryRow(ctx, sql, args...)
}

// Query implements [DB].
func (t *txDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.work.Query(ctx, sql, args...)
}

// Exec implements [DB].
func (t *txDB) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.work.Exec(ctx, sql, args...)
}

// Begin implements [DB].
func (t *txDB) Begin(ctx context.Context) (pgx.Tx, error) { return t.work.Begin(ctx) }

// SendBatch implements [DB].
func (t *txDB) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.work.SendBatch(ctx, b)
}

// begin sends the transaction's beginning and its first query together.
func (t *txDB) begin(ctx context.Context, sql string, args []any) pgx.Row {
	conn, err := t.acquire(ctx)
	if err != nil {
		return failedRow{err}
	}
	b := new(pgx.Batch)
	b.BeginTx(pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	b.Queue("SELECT set_config('lock_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)",
		setting(t.lock), setting(t.idle))
	b.Queue(sql, args...)
	return firstRow{t, conn.SendBatch(ctx, b)}
}

// setting is a duration as Postgres reads one, not zero, which is without end.
func setting(d time.Duration) string {
	const most = 1<<31 - 1
	return strconv.FormatInt(max(1, min(protocol.Units(d, time.Millisecond), most)), 10)
}

func (t *txDB) acquire(ctx context.Context) (DB, error) {
	pool, ok := t.pool.db.(*pgxpool.Pool)
	if !ok {
		t.release = func() {}
		var conn DB
		err := t.pool.connected(ctx, func(db DB) error { conn = db; return nil })
		return conn, err
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, unsent(err)
	}
	t.release = conn.Release
	return conn, nil
}

// end ends the transaction, if it was begun and has not ended, and gives the
// connection back.
func (t *txDB) end(ctx context.Context, by func(pgx.Tx, context.Context) error) (err error) {
	if t.work != nil {
		err = by(t.work.Tx, ctx)
	}
	if t.release != nil {
		t.release()
		t.release = nil
	}
	return err
}

// failedRow is the row of a query that was not sent.
type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

// firstRow is the row of the query that came with the transaction's beginning.
type firstRow struct {
	t  *txDB
	br pgx.BatchResults
}

func (r firstRow) Scan(dest ...any) (err error) {
	defer func() {
		if closing := r.br.Close(); err == nil {
			err = closing
		}
	}()
	if _, err := r.br.Exec(); err != nil { // BEGIN
		return err
	}
	r.t.work = &workTx{Tx: r.br.Tx()}
	if _, err := r.br.Exec(); err != nil { // the settings
		return err
	}
	return r.br.QueryRow().Scan(dest...)
}

// workTx is the transaction as the handler gets it: what the handler returns
// ends it, and nothing else.
type workTx struct {
	pgx.Tx
	ended bool // or so the handler thinks
}

var errEnded = errors.New("the transaction of a handler ends with what the handler returns: let it return nil to commit, and an error to roll back")

// Commit refuses.
func (w *workTx) Commit(context.Context) error {
	w.ended = true
	return errEnded
}

// Rollback refuses.
func (w *workTx) Rollback(context.Context) error {
	w.ended = true
	return errEnded
}

// misused tells what a handler that returned no error has done to the
// transaction, so that it cannot be completed.
func (w *workTx) misused() error {
	switch status := w.Conn().PgConn().TxStatus(); {
	case w.ended:
		return errEnded
	case status == 'E':
		return fmt.Errorf("the handler returned nil, though a statement in its transaction had failed: let it return the statement's error: %w", pgx.ErrTxCommitRollback)
	case status == 'I':
		return fmt.Errorf("the handler ended its transaction by a statement: %w", errEnded)
	}
	return nil
}
