package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Version is the place of an event among those of its entity. Make it by [At],
// [AtTime] or [MissingVersion].
type Version struct {
	number int64
	err    *KeyError
}

// At is the version that a placeholder names. A number above [math.MaxInt64]
// is a [*KeyError] that [Claim] returns.
func At[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](name string, v T) Version {
	if v > 0 && uint64(v) > math.MaxInt64 {
		return Version{err: orderError(name, fmt.Errorf("version %d is over %d", v, math.MaxInt64))}
	}
	return Version{number: int64(v)}
}

// AtTime is the version of a time, in microseconds since 1970 in UTC: of two
// events in one microsecond neither is older. The zero time is a [*KeyError]
// that wraps [ErrEmptyKeyPart], one that is too far away for so many microseconds
// wraps [ErrBadPart]; [Claim] returns them.
func AtTime(name string, t time.Time) Version {
	if t.IsZero() {
		return MissingVersion(name)
	}
	number := t.UnixMicro()
	if whole := t.Truncate(time.Microsecond); !time.UnixMicro(number).Equal(whole) {
		return Version{err: orderError(name, fmt.Errorf("the microseconds of year %d are over %d", t.Year(), math.MaxInt64))}
	}
	return Version{number: number}
}

// MissingVersion is the version that a placeholder cannot reach, because a pointer
// on the way is nil: a [*KeyError] that wraps [ErrEmptyKeyPart], which [Claim]
// returns.
func MissingVersion(name string) Version {
	return Version{err: orderError(name, ErrEmptyKeyPart)}
}

// Order is which version of which entity an event is about.
type Order struct {
	entity  string // empty if there is no order
	version int64
	err     *KeyError
}

// NewOrder makes the order of an event: its version, and the entity's name of
// parts, joined as [Spec.Key] joins them. What is wrong with them is an error
// that [Claim] returns: a [*KeyError].
func NewOrder(at Version, entity ...Part) Order {
	if at.err != nil {
		return Order{err: at.err}
	}
	name, err := Spec{}.Key(entity...)
	var wrong *KeyError
	switch {
	case errors.As(err, &wrong):
		return Order{err: orderError("", wrong.Err, wrong.Parts...)}
	case name == "":
		return Order{err: orderError("", ErrEmptyKeyPart)}
	}
	return Order{entity: string(name), version: at.number}
}

// orderError is what is wrong with the order of a handler that is not known yet.
func orderError(name string, err error, names ...string) *KeyError {
	if name != "" {
		names = append(names, name)
	}
	return &KeyError{Order: true, Parts: names, Err: err}
}

// WithOrder has the run take its turn among those of its entity: there is one
// live run an entity, and a version below the newest that was applied is not run,
// but answered [ErrStale]. It is for specs that are Ordered, and they need it.
func WithOrder(o Order) ClaimOption {
	return func(c claimOptions) claimOptions {
		c.order = o
		return c
	}
}

// EntityRequest asks for an entity, for the run of a key.
type EntityRequest struct {
	Handler string
	Entity  string
	Version int64
	Key     Key
	Owner   Owner         // of the run
	Lease   time.Duration // how long the entity is held
}

// EntityToken is the right to write an entity: every write is fenced by the
// owner and the number of the lease together.
type EntityToken struct {
	Handler string
	Entity  string
	Owner   Owner
	Lease   int64
}

// Entity is the row of an entity.
type Entity struct {
	Handler string
	Name    string
	// Version is the newest that was applied, if Applied says that one was.
	Version int64
	Applied bool
	// Lease is the number of the lease, which only grows.
	Lease int64
	// Key and Owner are of the run that holds the entity, or held it last.
	Key   Key
	Owner Owner
	Held  bool // its lease may be over
	// Remaining and Asked are what those of a [Record] are; zero if it is not held.
	Remaining time.Duration
	Asked     time.Time
}

// Stale reports whether a newer version than one was applied.
func (e Entity) Stale(version int64) bool { return e.Applied && e.Version > version }

// HeldBy reports whether owner holds the entity.
func (e Entity) HeldBy(owner Owner) bool { return e.Held && e.Owner == owner }

// Token returns the token of the entity's holder.
func (e Entity) Token() EntityToken {
	return EntityToken{Handler: e.Handler, Entity: e.Name, Owner: e.Owner, Lease: e.Lease}
}

// Entities keeps the order of runs: which run holds an entity, and the newest
// version that was applied to it. An [OrderStore] has them, and so has the [Tx] of
// one that is a [TxStore], where all is in the transaction: an entity that another
// one has locked is waited for, but not for long.
type Entities interface {
	// Enter makes the caller the holder of an entity if nobody is, or if the
	// holder's lease is over, and returns the entity as it then stands: held by
	// the caller when [Entity.HeldBy] the request's owner, otherwise as others
	// left it. An entity to which a newer version was applied is returned
	// untouched: it is [Entity.Stale]. After an error it holds nothing, unless
	// the database could not be reached to leave it. In a transaction, an entity
	// that is locked for too long is returned as held by another, with lease 0
	// and a Remaining of the time that was waited, and the transaction is over.
	Enter(ctx context.Context, req EntityRequest) (Entity, error)
	// Apply makes a version the newest and ends the lease. ErrLeaseLost if the
	// token holds the entity no more; to apply again with the same token is no error.
	Apply(ctx context.Context, token EntityToken, version int64) error
	// Leave ends the lease and applies nothing. ErrLeaseLost if the token holds
	// the entity no more; to leave again with the same token is no error.
	Leave(ctx context.Context, token EntityToken) error
	// Keep makes the lease end a duration from now. ErrLeaseLost if the token
	// holds the entity no more.
	Keep(ctx context.Context, token EntityToken, lease time.Duration) error
}

// OrderStore is a [Store] for handlers whose spec is Ordered. The stores of this
// module are.
type OrderStore interface {
	Store
	Entities
	// PurgeEntities deletes at most limit entities of a handler that nobody
	// holds, and that nothing was applied to for longer than retain; a retain
	// of zero keeps them for ever. It returns how many it deleted, and passes
	// over those that the database refuses to delete, as Purge does.
	PurgeEntities(ctx context.Context, handler string, retain time.Duration, limit int) (int, error)
}
