/* The row of one key in job_runs, and the statements that write it: an inline
 * each, with the name that it has in runtime/pgstore/statements.go. A statement
 * is atomic, since the database checks its conditions and writes under the
 * row's lock; callers put it into an atomic block together with whatever they
 * do with its answer. ok is whether it wrote the row.
 *
 * A time is only whether it has come. */

mtype = { ABSENT, RUNNING, WAITING, DONE, FAILED, DEAD };

#ifndef LIMIT
#define LIMIT 3 /* Spec.Attempts */
#endif

mtype status = ABSENT;
byte owner, attempts, holds, result;
bool due; /* the lease is over; the time to wait is over */

/* What nobody stores, to check against. Temporal properties do without. */
#ifndef TEMPORAL
#define must(condition) assert(condition)
byte holder[16]; /* the process that worked under an attempt */
byte first;      /* the result that was recorded first */
byte failures;   /* attempts that count towards the limit */
bool rewound;    /* a failover lost commits, and with them what was counted */

/* A handler begins, in process p. */
inline work(p, a) {
	must(rewound || holder[a] == 0 || holder[a] == p); /* one holder an attempt */
	holder[a] = p
}

inline begin() { failures = 0 }

inline fail(yes) { failures = failures + (yes) }

inline record(r) {
	must(first == 0 || first == r); /* one recorded result */
	first = r
}
#else
#define must(condition) true
inline work(p, a) { skip }
inline begin() { skip }
inline fail(yes) { skip }
inline record(r) { skip }
#endif

#define finished (status == DONE || status == FAILED || status == DEAD)

/* {held}: the fence of a holder's writes, who has owner t and attempt a. */
#if defined(FENCE_NONE)
#define HELD(t, a) (status != ABSENT)
#elif defined(FENCE_OWNER_ONLY)
#define HELD(t, a) (status == RUNNING && owner == t)
#elif defined(FENCE_ATTEMPT_ONLY)
#define HELD(t, a) (status == RUNNING && attempts == a)
#else
#define HELD(t, a) (status == RUNNING && owner == t && attempts == a)
#endif

/* {seen}: the run is as a claim found it. */
#ifdef TAKE_BY_KEY_ALONE
#define SEEN(s, o, a) ((status == RUNNING || status == WAITING) && due)
#else
#define SEEN(s, o, a) (status == s && owner == o && attempts == a && due)
#endif

/* protocol.decide: the limit, for the attempt that a claim would begin. */
#ifdef CLAIM_IGNORES_LIMIT
#define USED_UP false
#else
#define USED_UP (attempts + (status == RUNNING) - holds > LIMIT)
#endif

inline insert(t) {
	ok = (status == ABSENT);
	if
	:: ok -> status = RUNNING; owner = t; attempts = 1; holds = 0; due = false; begin()
	:: else
	fi
}

inline take(t, s, o, a) {
	ok = SEEN(s, o, a);
	if
	:: ok ->
		fail(s == RUNNING);
		must(attempts <= a + (s == RUNNING)); /* attempts only grow */
		must(rewound || failures < LIMIT);    /* what keeps dying is not tried for ever */
		status = RUNNING; owner = t; attempts = a + (s == RUNNING); due = false
	:: else
	fi
}

inline bury(s, o, a) {
	ok = SEEN(s, o, a);
	if
	:: ok ->
		fail(s == RUNNING);
		attempts = a + (s == RUNNING); die()
	:: else
	fi
}

inline die() {
	must(rewound || failures >= LIMIT); /* a hold is not a failure */
	status = DEAD; owner = 0; due = false
}

/* r is the result; a permanent failure is one too. */
inline complete(t, a, s, r) {
	ok = HELD(t, a);
	if
	:: ok ->
		must(owner == t && attempts == a); /* no write reaches another's run */
		record(r);
		status = s; result = r; due = false
	:: else
	fi
}

inline release(t, a, hold) {
	ok = HELD(t, a);
	if
	:: ok ->
		must(owner == t && attempts == a);
#ifndef HOLD_KEEPS_ATTEMPT
		attempts++;
#else
		attempts = attempts + (1 - hold);
#endif
#ifndef HOLD_COUNTS
		holds = holds + hold;
#endif
		fail(1 - hold);
		owner = 0;
		if
		:: attempts - holds > LIMIT -> die()
		:: else -> status = WAITING; due = (hold == 0)
		fi
	:: else
	fi
}

/* A heartbeat, and the new lease of a claim that waited for a lock. */
inline extend(t, a) {
#ifdef EXTEND_BY_KEY_ALONE
	ok = (status == RUNNING || status == WAITING);
#else
	ok = HELD(t, a);
#endif
	if
	:: ok ->
		must(owner == t && attempts == a);
		due = false
	:: else
	fi
}

/* The outer half of the sweep, which checks again what the inner one found. */
#ifdef SWEEP_BY_KEY_ALONE
#define SWEPT (status != ABSENT)
#else
#define SWEPT (status == RUNNING && due)
#endif

inline sweep() {
	if
	:: SWEPT ->
#ifndef SWEEP_KEEPS_ATTEMPT
		attempts++;
#endif
		fail(1); status = WAITING; owner = 0; due = true
	:: else
	fi
}

/* The outer half of the purge, for a row whose retention is over. */
#ifdef PURGE_TAKES_RUNNING
#define PURGEABLE (status != ABSENT)
#else
#define PURGEABLE (finished || status == WAITING && due)
#endif

inline purge() {
	if
	:: PURGEABLE ->
		status = ABSENT; owner = 0; attempts = 0; holds = 0; result = 0; due = false; begin()
	:: else
	fi
}
