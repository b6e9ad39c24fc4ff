/* Order, in transactional mode: key v is that of version v of one entity. A
 * transaction locks its key's row, then the entity's, looks at the version,
 * works, and commits all of it or nothing. Keys are checked by transaction.pml. */

mtype = { FREE, DONE, STALE };

#define VERSIONS 3
#define COPIES 2 /* deliveries of each, besides the last one */
#define LAST 100

mtype status[VERSIONS + 1] = FREE;
byte applied; /* the newest version, in the entity's row */

byte key_lock[VERSIONS + 1];
byte entity_lock;

byte gone;
byte live; /* runs of the entity, to check against */

#ifdef TEMPORAL
#define must(condition) true
#else
#define must(condition) assert(condition)
#endif

inline unlock() {
	key_lock[v] = 0;
	entity_lock = (entity_lock == me -> 0 : entity_lock)
}

proctype delivery(byte me, v)
{
	byte seen;
	bool mortal;

	mortal = (me != LAST);
	mortal || gone >= VERSIONS * COPIES;
key:
#ifdef CHECKED_OUTSIDE
	atomic { seen = applied };
#endif
	atomic {
		key_lock[v] == 0;
		if
		:: status[v] == FREE -> key_lock[v] = me
		:: else -> goto out
		fi
	};
	atomic {
#ifndef ENTITY_UNLOCKED
		entity_lock == 0; entity_lock = me;
#endif
#ifndef CHECKED_OUTSIDE
		seen = applied;
#endif
		if
		:: seen > v -> status[v] = STALE; unlock(); goto out
		:: else -> live++; must(live == 1) /* one live run */
		fi
	};
	/* The handler has returned, or its session is gone. */
	atomic {
		live--;
		if
		:: must(applied <= v); /* versions never go down */
			applied = v; status[v] = DONE; unlock()
		:: mortal -> unlock()
		fi
	};
out:
	atomic {
		seen = 0;
		if
		:: !mortal && status[v] == FREE -> goto key
		:: else -> gone++
		fi
	}
}

init {
	byte v, copy;
	atomic {
		for (v : 1 .. VERSIONS) {
			for (copy : 1 .. COPIES) { run delivery(COPIES * v + copy, v) };
			run delivery(LAST, v)
		}
	}
}

ltl stable { [] ((status[1] == DONE) -> [] (status[1] == DONE)) }
ltl done { <> (status[1] != FREE && status[2] != FREE && status[3] != FREE) }
