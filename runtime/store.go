package runtime

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"
)

// Store keeps runs in a database. Its clock is the database's: no method
// takes a time, only durations. A Store is safe for concurrent use, and what
// it promises is written, numbered and tested in package storetest.
//
// A method resolves by itself an outcome that the driver left unknown (a
// connection that broke during the statement), by asking again with the same
// token; it returns an error only when it could not find out.
type Store interface {
	// Claim makes the caller the holder of a key if nobody is, and returns
	// the run as it then stands: held by the caller when [Record.HeldBy] the
	// request's owner, otherwise as others left it. A new key, a waiting run
	// that is due and a running one whose lease is over can be claimed; one
	// whose attempts are used up becomes dead instead. A run of another
	// handler, and one that [Record.DiffersFrom] the request's fingerprint,
	// is returned untouched, whatever its state. After an error it holds
	// nothing, unless the database could not be reached to give the key back.
	Claim(ctx context.Context, req ClaimRequest) (Record, error)
	// Complete ends the run that the token holds. ErrLeaseLost if the token
	// holds it no more; completing again with the same token is no error.
	Complete(ctx context.Context, token Token, outcome Outcome) error
	// Release gives the run back, to be claimed again after a delay, or
	// makes it dead when its attempts are used up. ErrLeaseLost if the token
	// holds it no more.
	Release(ctx context.Context, token Token, release Release) error
	// Extend makes the lease end a duration from now. ErrLeaseLost if the
	// token holds the run no more.
	Extend(ctx context.Context, token Token, lease time.Duration) error
	// Sweep makes running runs whose lease is over waiting, due at once,
	// with the next attempt's number, oldest first and at most limit of
	// them. It returns how many it reset. A run that the database refuses to
	// write is passed over, and does not count; the error tells of it.
	Sweep(ctx context.Context, limit int) (int, error)
	// Purge deletes at most limit runs of a handler that were finished, or
	// left waiting, longer ago than retain; a retain of zero keeps them for
	// ever. It returns how many it deleted, and passes over runs as Sweep does.
	Purge(ctx context.Context, handler string, retain time.Duration, limit int) (int, error)
	// Lookup returns the run of a key, or ErrNotFound. It changes nothing.
	Lookup(ctx context.Context, key Key) (Record, error)
}

// Status is the state of a run.
type Status string

// The states of a run.
const (
	StatusRunning Status = "running" // claimed; its lease may be over
	StatusWaiting Status = "waiting" // released or swept; to be claimed when due
	StatusDone    Status = "done"    // the result is stored
	StatusFailed  Status = "failed"  // the handler said Permanent
	StatusDead    Status = "dead"    // attempts used up
	StatusStale   Status = "stale"   // a newer version was applied before; not run
)

// Owner is who holds a run: a random UUID for every Claim call. It is never
// made from a delivery or message id, which a redelivery shares with the
// holder that it overlaps.
type Owner [16]byte

// NewOwner returns a random owner (a version 4 UUID).
func NewOwner() Owner {
	var o Owner
	_, _ = rand.Read(o[:]) // never fails: crypto/rand aborts the program instead
	o[6] = o[6]&0x0f | 0x40
	o[8] = o[8]&0x3f | 0x80
	return o
}

// String returns the owner as a UUID in text.
func (o Owner) String() string {
	var b [36]byte
	hex.Encode(b[0:8], o[0:4])
	b[8] = '-'
	hex.Encode(b[9:13], o[4:6])
	b[13] = '-'
	hex.Encode(b[14:18], o[6:8])
	b[18] = '-'
	hex.Encode(b[19:23], o[8:10])
	b[23] = '-'
	hex.Encode(b[24:36], o[10:16])
	return string(b[:])
}

// ClaimRequest asks for a key.
type ClaimRequest struct {
	Key      Key
	Handler  string
	Owner    Owner
	Lease    time.Duration // how long the claim holds
	Attempts int           // the limit, holds not counted
	// Redelivered says that the delivery is known to be a repetition: the
	// store looks before it inserts, which answers a duplicate of a finished
	// run in one statement instead of two.
	Redelivered bool
	// Fingerprint is what the run has to agree with, from
	// [Fingerprint.Bytes]; nil if with nothing. A run keeps that of the first
	// claim which was granted and had one.
	Fingerprint []byte
	// Payload is the event, nil if it is not kept. A run keeps that of the first
	// claim which was granted and had one, until it is done, failed or stale.
	Payload []byte
}

// Token is the right to write a run: every write is fenced by the key, the
// owner and the attempt together.
type Token struct {
	Key     Key
	Owner   Owner
	Attempt int
}

// Outcome is how a run ended.
type Outcome struct {
	Status Status // StatusDone, StatusFailed or StatusStale
	Result []byte // the stored result; nil, not empty, if there is none
	Error  string // the permanent error, or why there is no result, or why it is stale
}

// Release is how a run is given back.
type Release struct {
	Delay    time.Duration // until the run is due
	Error    string        // what the attempt ended with
	Attempts int           // the limit, holds not counted
	Hold     bool          // the attempt does not count towards the limit
}

// Record is the row of a run.
type Record struct {
	Key     Key
	Handler string
	Status  Status
	Attempt int   // that holds the key, or will hold it next
	Holds   int   // attempts that do not count towards the limit
	Owner   Owner // zero unless running or finished
	Result  []byte
	Error   string
	// Fingerprint is what the run was claimed with, nil if with none.
	Fingerprint []byte
	// Remaining is the time until the run is due, by the database's clock:
	// the end of the lease of a running one, negative if it is over, or the
	// time at which a waiting one can be claimed.
	Remaining time.Duration
	// Asked is the worker's time just before the statement that gave
	// Remaining was sent. Counted from it, a lease never ends later here than
	// in the database, and a claim that waited for a lock has all of its
	// lease. Zero stands for the time at which the method was called.
	Asked time.Time
}

// HeldBy reports whether the run is running and owner is its holder.
func (r Record) HeldBy(owner Owner) bool {
	return r.Status == StatusRunning && r.Owner == owner
}

// DiffersFrom reports whether the run was claimed with other values than a
// fingerprint has. Values are compared if both were there and are of one
// definition: of the same names, kinds and verbs in the same order.
func (r Record) DiffersFrom(fingerprint []byte) bool {
	return len(differences(r.Fingerprint, fingerprint)) > 0
}

// Token returns the token of the run's holder.
func (r Record) Token() Token {
	return Token{Key: r.Key, Owner: r.Owner, Attempt: r.Attempt}
}
