/* Transactional mode: the claim, the work and the completion of a key are one
 * transaction of the database, and no lease is needed: the row's lock tells who
 * is at it. The row is what is committed, which never is running. */

mtype = { ABSENT, RUNNING, WAITING, DONE, DEAD };
mtype = { OPEN, BROKEN, DOUBT }; /* the session that holds the key's lock */

#ifndef N
#define N 3
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef POISON
#define POISON 0 /* no delivery succeeds; 2: each kills its process */
#endif

#define LAST 100
#define finished (status == DONE || status == DEAD)

/* Committed. */
mtype status = ABSENT;
byte owner, attempts;
byte effects; /* of the handler's work */

/* Not committed: who has written the key, so that others wait for the lock. */
byte lock;
mtype session;
byte attempt_of_lock;
bool worked;

byte busy; /* deliveries that are not answered yet */

#ifdef TEMPORAL
#define must(condition) true
#else
#define must(condition) assert(condition)
#endif

/* INSERT ON CONFLICT DO NOTHING, and the UPDATE of a run that waits: both wait
 * for the lock, and then want the row to be as it was seen. */
inline begin(t, seen) {
	lock == 0;
	ok = (attempts == seen && (status == ABSENT || status == WAITING));
	if
	:: ok -> lock = t; session = OPEN; attempt = (seen == 0 -> 1 : seen); attempt_of_lock = attempt
	:: else
	fi
}

inline rollback() { lock = 0; session = 0; attempt_of_lock = 0; worked = false }

inline commit() {
	status = DONE; owner = lock; attempts = attempt_of_lock;
#ifndef WORK_OUTSIDE
	effects = effects + worked;
#endif
	rollback()
}

/* The failed attempt, counted in a statement of its own: INSERT or UPDATE, which
 * waits for the lock and wants the row as it was before the attempt. */
inline count(a) {
	lock == 0;
	if
#ifdef COUNT_BY_KEY_ALONE
	:: status != ABSENT -> attempts++; status = (attempts > LIMIT -> DEAD : WAITING)
#else
	:: status == WAITING && attempts == a -> attempts++; status = (attempts > LIMIT -> DEAD : WAITING)
#endif
	:: status == ABSENT && a == 1 -> attempts = 2; status = (attempts > LIMIT -> DEAD : WAITING)
	:: else
	fi
}

/* What the delivery is told has to be so, and to stay so. */
inline tell_done(t) { must(status == DONE) }
inline tell_failed(t) { must(lock != t && !(status == DONE && owner == t)) }

proctype delivery(byte t)
{
	byte seen, attempt;
	bool ok, mortal;

	mortal = (t != LAST);
	mortal || busy == 0;
claim:
	/* Find reads what is committed, and waits for nobody. */
	atomic {
		seen = attempts;
		if
		:: status == DONE -> tell_done(t); goto told
		:: status == DEAD -> goto told
		:: else
		fi
	};
	atomic {
		if
		:: begin(t, seen);
			if
			:: ok
			:: else -> goto claim
			fi
		:: lock != 0 -> goto told /* lock_timeout: come back */
		fi
	};

	/* The handler. Its session may end at any time: idle_in_transaction_session_timeout. */
	atomic {
		if
		:: lock == t && POISON != 1 -> worked = true;
#ifdef WORK_OUTSIDE
			effects++
#endif
		:: lock == t && (mortal || POISON == 1) -> rollback(); goto rolled_back
		:: lock == t && (mortal || POISON == 2) -> session = BROKEN; goto died
		:: lock != t -> goto rolled_back
		/* A statement of the handler's failed, and it does not say so: COMMIT rolls back. */
		:: lock == t && mortal -> rollback();
#ifdef SWALLOWED_ERROR
			tell_done(t); goto told
#else
			goto rolled_back
#endif
		fi
	};

	/* Completion and commit. */
	atomic {
		if
#ifdef COMPLETES_OUTSIDE
		:: lock == t -> effects = effects + worked; status = WAITING; attempts = attempt; rollback()
#else
		:: lock == t && !POISON -> commit(); tell_done(t); goto told
		:: lock == t && mortal -> rollback(); goto rolled_back /* the commit is refused */
		:: lock == t && mortal -> session = DOUBT; goto ask
		:: lock == t && (mortal || POISON == 2) -> session = BROKEN; goto died
		:: lock != t -> goto rolled_back
#endif
		fi
	};
#ifdef COMPLETES_OUTSIDE
	atomic {
		if
		:: status == WAITING -> status = DONE; owner = t; goto told
		:: mortal -> goto died
		fi
	};
#endif

	/* Nobody heard what became of the commit. Whoever asks has to wait for the
	 * lock, as a claim does: a look does not see what is not committed yet. */
ask:
	atomic {
#if defined(DOUBT_IS_FAILURE)
		tell_failed(t);
#elif !defined(ASK_WITHOUT_WAITING)
		lock != t;
#endif
		if
		:: status == DONE && owner == t && attempts == attempt -> tell_done(t); goto told
		:: else
		fi
	};
rolled_back:
	atomic { tell_failed(t) };
	atomic {
		if
		:: count(attempt)
		:: mortal -> skip
		fi
	};
died:
	skip;
told:
	atomic {
		seen = 0; attempt = 0; ok = false;
		if
		:: mortal -> busy--
		:: !mortal && !finished -> goto claim
		:: !mortal && finished
		fi
	}
}

/* The server ends the sessions that broke off, each in its own time. */
active proctype server()
{
end:
	do
	:: atomic { lock != 0 && session == OPEN && lock != LAST -> rollback() }
	:: atomic { lock != 0 && session == BROKEN -> rollback() }
	:: atomic { lock != 0 && session == DOUBT -> commit() }
	:: atomic { lock != 0 && session == DOUBT -> rollback() }
	od
}

/* The broker delivers at once, and then, after all these, until the run is finished. */
init {
	byte t;
	atomic {
		busy = N;
		for (t : 1 .. N) { run delivery(t) };
		run delivery(LAST)
	}
}

ltl stable { [] ((status == DONE) -> [] (status == DONE)) }
ltl whole { [] (effects == (status == DONE)) }
ltl done { <> finished }
