/* Order, in the mode with leases: key v is that of version v of one entity. The
 * entity has a row of its own, which a run claims with a lease after its key,
 * and whose number of the lease fences its write, as attempts do for a key. A
 * run then applies its version to the entity's row before it completes its
 * key. What happens to a key is checked by runs.pml; here its lease may be over
 * at any time. */

mtype = { FREE, RUNNING, DONE, STALE };

#define VERSIONS 2
#define COPIES 2 /* deliveries of each, besides the last one */
#define LAST 100

mtype status[VERSIONS + 1] = FREE;
byte owner[VERSIONS + 1];

/* The entity's row. */
byte applied;  /* the newest version */
byte user, lease; /* who holds it, under which number */
bool over;     /* the lease is */

byte gone;

/* What nobody stores, to check against. */
byte newest;   /* version of which a key is done */
bool ended[16]; /* leases that were given back or are over */

#ifdef TEMPORAL
#define must(condition) true
#else
#define must(condition) assert(condition)
#endif

#define KEY_HELD (status[v] == RUNNING && owner[v] == me)

#ifdef ENTITY_UNFENCED
#define ENTITY_HELD true
#else
#define ENTITY_HELD (user == me && lease == mine)
#endif

#ifdef ENTITY_UNCLAIMED
#define ENTITY_FREE true
#else
#define ENTITY_FREE (user == 0 || over)
#endif

#if defined(VERSION_UNCHECKED)
#define CURRENT true
#elif defined(EQUAL_IS_STALE)
#define CURRENT (applied < v)
#else
#define CURRENT (applied <= v)
#endif

/* One UPDATE of the entity's row, with which the handler begins. */
inline enter() {
	must(v >= newest); /* what is stale is not run */
	lease++; mine = lease; user = me; over = false
}

/* Another, when the handler has returned. */
inline apply() {
	ok = ENTITY_HELD;
	if
	:: ok ->
		must(applied <= v); /* versions never go down */
		applied = v; user = 0; over = false; ended[mine] = true
	:: else -> must(ended[mine]) /* one live run: nobody lost a lease that was in force */
	fi
}

inline complete() {
	if
	:: KEY_HELD ->
		status[v] = DONE;
		newest = (newest < v -> v : newest)
	:: else
	fi
}

proctype delivery(byte me, v)
{
	byte mine;
	bool ok, mortal;

	mortal = (me != LAST);
	mortal || gone >= VERSIONS * COPIES;
key:
	atomic {
		if
		:: status[v] == FREE || status[v] == RUNNING -> status[v] = RUNNING; owner[v] = me
		:: status[v] == RUNNING && mortal -> goto out
		:: status[v] == DONE || status[v] == STALE -> goto out
		fi
	};
entity:
	atomic {
		if
		:: CURRENT && ENTITY_FREE -> enter()
		:: !CURRENT && KEY_HELD ->
			must(applied > v); /* only what is older is stale */
			status[v] = STALE; goto out
		:: !CURRENT && !KEY_HELD -> goto out
		:: CURRENT && !ENTITY_FREE && KEY_HELD -> status[v] = FREE; owner[v] = 0; goto out /* a hold */
		:: CURRENT && !ENTITY_FREE && !KEY_HELD -> goto out
		:: mortal -> goto out /* the worker dies, as below */
		fi
	};
#ifdef KEY_BEFORE_ENTITY
	atomic { complete() };
#endif
	atomic {
		if
		:: apply();
			if
			:: ok
			:: else -> goto out
			fi
		:: mortal -> goto out
		fi
	};
#ifndef KEY_BEFORE_ENTITY
	atomic {
		if
		:: complete()
		:: mortal -> goto out
		fi
	};
#endif
out:
	atomic {
		mine = 0; ok = false;
		if
		:: !mortal && (status[v] == FREE || status[v] == RUNNING) -> goto key
		:: else -> gone++
		fi
	}
}

active proctype clock()
{
end:
	do
	:: atomic { user != 0 && user != LAST && !over -> over = true; ended[lease] = true }
	od
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

#define ENDED(v) (status[v] == DONE || status[v] == STALE)

ltl stable { [] ((status[1] == DONE) -> [] (status[1] == DONE)) }
ltl done { <> (ENDED(1) && ENDED(2)) }
