package pgstore

import "strings"

// statements are all the SQL of the store. {now} is the clock: of the
// database, and of the moment rather than of the transaction's start. The
// twin for SQLite has the same names in the same order.
type statements struct {
	insert, find, take, bury, complete, release, extend string
	// What is done to many runs together.
	insertAll, findAll, completeAll string
}

// replan is true, and has Postgres plan a prepared statement for its
// parameters each time: then it falls away, while the plan for any parameters
// would have to count to 10,000. Planning costs some microseconds. A plan
// that is kept from when the table was nearly empty scans it, until the next
// ANALYZE, however large it has grown.
const replan = `($1 IS NOT NULL OR (SELECT count(*) FROM generate_series(1, 10000)) > 0)`

// returning separates what is done from what is told of it.
const returning = ` RETURNING `

// briefly has rows that are written together, in a transaction of their own, wait for
// another one's row for a moment only: they are taken apart then, and the one waits that has
// to. It is always true, and evaluated before any row is touched; the table is locked by then.
const briefly = `(SELECT set_config('lock_timeout', '100ms', true)) IS NOT NULL`

// hashed is true of what is ended. The planner, which does not know how many rows
// come together, takes the count for so costly that it compares few of them: it finds them
// in a hash table, and does not compare each with all others.
const hashed = `(run.owner = ended.owner OR (SELECT count(*) FROM generate_series(1, run.attempts * ended.attempts)) > 0)`

// filler returns what puts the parts that statements share in their places.
func filler(table, clock string) func(string) string {
	return strings.NewReplacer(
		"{table}", table, "{now}", clock, "{replan}", replan, "{briefly}", briefly, "{hashed}", hashed,
		"{record}", `key, handler, status, attempts, holds, owner, fingerprint, result, coalesce(error, ''),
			due - `+clock+`, ctid`,
		"{held}", `key = $1 AND status = 'running' AND owner = $2 AND attempts = $3 AND `+replan,
		"{seen}", `key = $1 AND status = $2 AND owner IS NOT DISTINCT FROM $3 AND attempts = $4
			AND handler = $5 AND fingerprint IS NOT DISTINCT FROM $6 AND due <= `+clock+` AND `+replan,
		// Or the planner may read all of the sweeper's index, where an entry of
		// each run stays until the next vacuum.
		"{running}", `(SELECT 'running')`,
		// An index cannot be searched for a volatile clock, hence SELECT.
		"{past}", `(SELECT `+clock+`) - $2::bigint * interval '1 microsecond'`,
		"{ranout}", `'the lease of attempt ' || attempts || ' ran out'`,
	).Replace
}

func newStatements(table, clock string) statements {
	fill := filler(table, clock)
	return statements{
		insert: fill(`INSERT INTO {table} (key, handler, status, attempts, holds, owner, due, fingerprint, payload, created_at, claimed_at)
			VALUES ($1, $2, 'running', 1, 0, $3, {now} + $4::bigint * interval '1 microsecond', $5, $6, {now}, {now})
			ON CONFLICT (key) DO NOTHING` + returning + `due - {now}, ctid`),
		insertAll: fill(`INSERT INTO {table} (key, handler, status, attempts, holds, owner, due, fingerprint, payload, created_at, claimed_at)
			SELECT key, handler, 'running', 1, 0, owner, {now} + lease * interval '1 microsecond', fingerprint, payload, {now}, {now}
			FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::uuid[]), (SELECT $4::bigint[]), (SELECT $5::bytea[]), (SELECT $6::bytea[])) AS asked (key, handler, owner, lease, fingerprint, payload)
			WHERE {briefly}
			ON CONFLICT (key) DO NOTHING RETURNING owner, due - {now}, ctid`),
		findAll: fill(`SELECT {record} FROM {table} WHERE key = ANY ((SELECT $1::text[])::text[]) AND {replan}`),
		completeAll: fill(`UPDATE {table} AS run SET status = ended.status, due = NULL, payload = NULL, result = ended.result, error = nullif(ended.error, ''), completed_at = {now}
			FROM unnest((SELECT $1::text[]), (SELECT $2::uuid[]), (SELECT $3::int[]), (SELECT $4::text[]), (SELECT $5::bytea[]), (SELECT $6::text[])) WITH ORDINALITY AS ended (key, owner, attempts, status, result, error, place)
			WHERE {briefly} AND run.key = ended.key AND run.status = {running} AND run.owner = ended.owner AND run.attempts = ended.attempts
				AND run.key = ANY ((SELECT $1::text[])::text[]) AND {hashed} AND {replan}
			RETURNING ended.place`),
		find: fill(`SELECT {record} FROM {table} WHERE key = $1 AND {replan}`),
		take: fill(`UPDATE {table} SET status = 'running', attempts = $7, owner = $8, claimed_at = {now},
				due = {now} + $9::bigint * interval '1 microsecond', fingerprint = coalesce(fingerprint, $10), payload = coalesce(payload, $11),
				error = CASE WHEN status = 'running' THEN {ranout} ELSE error END
			WHERE {seen} RETURNING {record}`),
		bury: fill(`UPDATE {table} SET status = 'dead', attempts = $7, owner = NULL, due = NULL, completed_at = {now},
				error = CASE WHEN status = 'running' THEN {ranout} ELSE error END
			WHERE {seen} RETURNING {record}`),
		complete: fill(`UPDATE {table} SET status = $4, due = NULL, payload = NULL, result = $5, error = nullif($6, ''), completed_at = {now}
			WHERE {held}`),
		release: fill(`UPDATE {table} SET attempts = attempts + 1, holds = holds + $7, owner = NULL, error = nullif($6, ''),
				status       = CASE WHEN attempts + 1 - holds - $7 > $5 THEN 'dead' ELSE 'waiting' END,
				due          = CASE WHEN attempts + 1 - holds - $7 > $5 THEN NULL ELSE {now} + $4::bigint * interval '1 microsecond' END,
				completed_at = CASE WHEN attempts + 1 - holds - $7 > $5 THEN {now} END
			WHERE {held}`),
		extend: fill(`UPDATE {table} SET due = {now} + $4::bigint * interval '1 microsecond'
			WHERE {held}`),
	}
}
