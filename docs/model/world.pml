/* What happens to the row of runs.pml beside its deliveries: late statements,
 * time, the sweeper, the purge and a failover. */

inline forget_statement() { kind = ABSENT; seen_status = ABSENT; t = 0; a = 0; x = 0; ok = false }

/* Statements arrive in any order, at any later time. */
active proctype network()
{
	mtype kind, seen_status;
	byte t, a, x;
	bool ok;
end:
	do
	:: atomic { late?kind(t, a, seen_status, x) ->
		if
		:: kind == INSERT -> insert(t)
		:: kind == TAKE -> take(t, seen_status, x, a)
		:: kind == BURY -> bury(seen_status, x, a)
		:: kind == COMPLETE -> complete(t, a, seen_status, x)
		:: kind == RELEASE -> release(t, a, 0)
		:: kind == HOLD -> release(t, a, 1)
		:: kind == EXTEND -> extend(t, a)
		fi;
		forget_statement() }
	:: atomic { LATE > 1 && full(late) -> late?kind(t, a, seen_status, x); late!kind(t, a, seen_status, x);
		forget_statement() }
	od
}

#ifndef LEASE_WITHOUT_END
active proctype clock()
{
end:
	do
	:: atomic { (status == RUNNING || status == WAITING) && owner != LAST && !due -> due = true }
	od
}
#endif

active proctype sweeper()
{
end:
	do
	:: status == RUNNING && due -> atomic { sweep() }
	od
}

/* A retention is longer than any redelivery, and than any statement is on its
 * way. Those who hold the key, or think so, may be paused for longer. */
#if defined(PURGE_BEFORE_REDELIVERY)
#define AGED (empty(late))
#elif defined(PURGE_BEFORE_ARRIVAL)
#define AGED (coming == 0)
#elif defined(PURGE_TAKES_RUNNING)
#define AGED (status == RUNNING) /* whose created_at is all there is to go by */
#else
#define AGED (coming == 0 && empty(late))
#endif

active proctype purger()
{
end:
	do
	:: PURGE && PURGEABLE && AGED -> atomic { purge() }
	od
}

#if FAILOVER
/* What a standby has, and then the whole database. The history that was lost
 * is not to be checked against. */
mtype kept_status = ABSENT;
byte kept_owner, kept_attempts, kept_holds, kept_result, kept_first, kept_failures;
bool kept_due;

active proctype failover()
{
	atomic {
		kept_status = status; kept_owner = owner; kept_attempts = attempts; kept_holds = holds;
		kept_result = result; kept_first = first; kept_failures = failures; kept_due = due
	};
	atomic {
		status = kept_status; owner = kept_owner; attempts = kept_attempts; holds = kept_holds;
		result = kept_result; first = kept_first; failures = kept_failures; due = kept_due;
		rewound = true;
		kept_status = ABSENT; kept_owner = 0; kept_attempts = 0; kept_holds = 0;
		kept_result = 0; kept_first = 0; kept_failures = 0; kept_due = false
	}
}
#endif
