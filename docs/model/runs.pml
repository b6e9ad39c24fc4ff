/* Deliveries of one key, each a call of idem.Claim and what follows, with
 * workers that die and answers that are lost. docs/protocol.md, section "The
 * model", tells about it. */

#include "row.pml"

#ifndef N
#define N 2 /* deliveries, besides the last one */
#endif
#ifndef TRIES
#define TRIES 2 /* of a statement whose answer is lost */
#endif
#ifndef LATE
#define LATE 2 /* statements on their way at a time */
#endif
#ifndef HOLDS
#define HOLDS 0 /* handlers that say RetryAfter */
#endif
#ifndef PERMANENT
#define PERMANENT 0 /* handlers that say Permanent */
#endif
#ifndef BEATS
#define BEATS 0 /* heartbeats of a handler that keeps its lease */
#endif
#ifndef PURGE
#define PURGE 0
#endif
#ifndef FAILOVER
#define FAILOVER 0 /* to a standby that lacks the last commits, once */
#endif

#define LAST 100
#define me (_pid + 1)

/* idem.NewOwner, for every call of Claim. */
#ifdef OWNER_FROM_DELIVERY
#define mine 1
#else
#define mine me
#endif

mtype = { INSERT, TAKE, BURY, COMPLETE, RELEASE, HOLD, EXTEND };

/* Statements whose sender heard nothing: kind, owner, attempt, status and
 * owner that were seen, or the outcome and the result. */
chan late = [LATE] of { mtype, byte, byte, mtype, byte };

byte coming = N + !PURGE; /* deliveries that may still claim */
byte gone; /* deliveries whose worker has ended, or died */

inline forget() { attempt = 0; seen_status = ABSENT; seen_owner = 0; tries = 0; ok = false }

active [N] proctype delivery()
{
	byte tries, attempt, seen_owner;
	mtype seen_status = ABSENT;
	bool ok, holding, giving;

	/* protocol.Claim: rounds of claim.round, until it is known whose run it is. */
claim:
	atomic {
		if
		:: goto answered /* the worker dies */
		:: tries == TRIES -> tries = 0; goto give_back
		:: tries < TRIES -> tries++
		fi
	}
round:
	atomic {
		if
		:: status == ABSENT -> insert(mine); attempt = 1; goto granted
		:: nfull(late) -> late!INSERT(mine, 0, ABSENT, 0); goto claim
		/* An INSERT that meets a row changes nothing, and is not told from the Find. */
		:: status == RUNNING && owner == mine -> attempt = attempts; goto granted
		:: (status == RUNNING && owner != mine || status == WAITING) && due ->
			seen_status = status; seen_owner = owner; attempt = attempts;
			if
			:: USED_UP -> goto bury_it
			:: else -> goto take_it
			fi
		:: (status == RUNNING && owner != mine || status == WAITING) && !due -> goto answered
		:: finished -> must(status != DONE || result == first); goto answered
		fi
	}
take_it:
	atomic {
		if
		:: take(mine, seen_status, seen_owner, attempt);
			if
			:: ok -> attempt = attempts; goto granted
			:: else -> goto round
			fi
		:: nfull(late) -> late!TAKE(mine, attempt, seen_status, seen_owner); goto claim
		fi
	}
bury_it:
	atomic {
		if
		:: bury(seen_status, seen_owner, attempt);
			if
			:: ok -> goto answered
			:: else -> goto round
			fi
		:: nfull(late) -> late!BURY(mine, attempt, seen_status, seen_owner); goto claim
		fi
	}

	/* claim.hold: a claim that waited for a lock leases anew. */
granted:
	atomic {
		seen_status = ABSENT; seen_owner = 0;
		if
		:: giving -> goto give
		:: !giving && BEATS == 0 -> skip
		:: !giving && BEATS > 0 && nfull(late) -> late!EXTEND(mine, attempt, ABSENT, 0); goto claim
		:: !giving && BEATS > 0 -> extend(mine, attempt);
			if
			:: ok
			:: else -> goto answered
			fi
		fi
	};

	/* The handler. */
	atomic {
		work(me, attempt);
		tries = 0; holding = true; coming--
	};
beat:
	atomic {
		if
		:: goto answered /* the worker dies */
		:: tries = 0; goto settle_done
		:: tries = 0; goto settle_release
		:: HOLDS -> tries = 0; goto settle_hold
		:: PERMANENT -> tries = 0; goto settle_failed
		/* heart.fire: a handler ends one day, as long as it keeps its lease. */
		:: tries < BEATS && nfull(late) -> tries++; late!EXTEND(mine, attempt, ABSENT, 0); goto beat
		:: tries < BEATS || (BEATS > 0 && !(status == RUNNING && attempts == attempt)) ->
			tries = (tries < BEATS -> tries + 1 : tries);
			extend(mine, attempt);
			if
			:: ok -> goto beat
			:: else -> goto answered /* heart.lost: the handler's context ends */
			fi
		fi
	};

	/* Run.Complete and protocol.settle: the outcome is sent until it is known what became of it. */
settle_done:
	atomic {
		if
		:: complete(mine, attempt, DONE, me);
			if
			:: !ok && status == DONE && owner == mine && attempts == attempt -> must(result == me)
			:: else
			fi;
			goto answered
		:: nfull(late) && tries < TRIES -> tries++; late!COMPLETE(mine, attempt, DONE, me); goto settle_done
		:: goto answered
		fi
	}
settle_failed:
	atomic {
		if
		:: complete(mine, attempt, FAILED, me); goto answered
		:: nfull(late) && tries < TRIES -> tries++; late!COMPLETE(mine, attempt, FAILED, me); goto settle_failed
		:: goto answered
		fi
	}
settle_release:
	atomic {
		if
		:: release(mine, attempt, 0); goto answered
		:: nfull(late) && tries < TRIES -> tries++; late!RELEASE(mine, attempt, ABSENT, 0); goto settle_release
		:: goto answered
		fi
	}
settle_hold:
	atomic {
		if
		:: release(mine, attempt, 1); goto answered
		:: nfull(late) && tries < TRIES -> tries++; late!HOLD(mine, attempt, ABSENT, 0); goto settle_hold
		:: goto answered
		fi
	}

	/* giveBack: what a claim may have got that gave up, it asks for once more, and releases it. */
give_back:
	atomic {
		if
		:: giving -> goto answered /* the lease bounds it */
		:: else -> giving = true; goto claim
		fi
	}
give:
	atomic {
		if
		:: release(mine, attempt, 1)
		:: nfull(late) -> late!HOLD(mine, attempt, ABSENT, 0)
		:: skip
		fi
	}
answered:
	atomic {
		coming = coming - (1 - holding);
		gone++; forget(); holding = false; giving = false
	}
}

#include "world.pml"

#if !PURGE
/* The broker delivers until the run is finished, and has one worker that lives
 * and is quicker than its lease. */
active proctype last()
{
	mtype seen_status = ABSENT;
	byte seen_owner, attempt;
	bool ok;

	gone == N && empty(late);
	do
	:: atomic { status == ABSENT -> insert(LAST); attempt = 1; break }
	:: atomic { finished -> must(status != DONE || result == first); goto told }
	:: atomic { (status == RUNNING || status == WAITING) && !due -> skip }
	:: atomic { (status == RUNNING || status == WAITING) && due ->
			seen_status = status; seen_owner = owner; attempt = attempts };
		atomic {
			if
			:: USED_UP -> bury(seen_status, seen_owner, attempt)
			:: else -> take(LAST, seen_status, seen_owner, attempt);
				if
				:: ok -> attempt = attempts; break
				:: else
				fi
			fi;
			seen_status = ABSENT; seen_owner = 0; attempt = 0
		}
	od;
	atomic { work(LAST, attempt) };
	atomic { complete(LAST, attempt, DONE, LAST) }
told:
	atomic { coming--; seen_status = ABSENT; seen_owner = 0; attempt = 0; ok = false }
}
#endif

ltl stable { [] ((status == DONE) -> [] (status == DONE || status == ABSENT)) }
ltl done { <> finished }
