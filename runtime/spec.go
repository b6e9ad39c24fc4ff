package runtime

import "time"

// Spec says how the runs of one handler are held. The generator writes one
// beside each wrapper, from the handler's directives.
type Spec struct {
	// Handler is the namespace of the handler's keys, unique in the project.
	// It is stored with every run; a key met under another handler is
	// [ErrKeyReuse].
	Handler string
	// Lease is how long a claim holds: the longest reasonable duration of
	// the job. When it is over, another delivery may take the key.
	Lease time.Duration
	// Attempts is how many attempts a run has before it is dead.
	Attempts int
	// Retain is how long a finished run is kept, after which the same key
	// runs again; zero keeps it for ever. See [Store.Purge].
	Retain time.Duration
	// Ordered says that the handler's runs take turns by entity and version:
	// its claims come with [WithOrder], and [Maintain] purges its entities.
	Ordered bool
}
