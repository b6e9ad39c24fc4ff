package pgstore

import "strings"

// statements are all the SQL of the store. {now} is the clock: of the
// database, and of the moment rather than of the transaction's start. The
// twin for SQLite has the same names in the same order.
type statements struct {
	insert, find, take, bury, complete, release, extend, sweep, purge string
}

// replan is true, and has Postgres plan a prepared statement for its
// parameters each time: then it falls away, while the plan for any parameters
// would have to count to 10,000. Planning costs some microseconds. A plan
// that is kept from when the table was nearly empty scans it, until the next
// ANALYZE, however large it has grown.
const replan = `($1 IS NOT NULL OR (SELECT count(*) FROM generate_series(1, 10000)) > 0)`

// filler returns what puts the parts that statements share in their places.
func filler(table, clock string) func(string) string {
	return strings.NewReplacer(
		"{table}", table, "{now}", clock, "{replan}", replan,
		"{record}", `key, handler, status, attempts, holds, owner, fingerprint, result, coalesce(error, ''),
			coalesce(extract(epoch FROM due - `+clock+`) * 1000000, 0)::bigint`,
		"{held}", `key = $1 AND status = 'running' AND owner = $2 AND attempts = $3 AND `+replan,
		"{seen}", `key = $1 AND status = $2 AND owner IS NOT DISTINCT FROM $3 AND attempts = $4
			AND handler = $5 AND fingerprint IS NOT DISTINCT FROM $6 AND due <= `+clock+` AND `+replan,
		// An index cannot be searched for a volatile clock, hence SELECT.
		"{past}", `(SELECT `+clock+`) - $2::bigint * interval '1 microsecond'`,
		"{ranout}", `'the lease of attempt ' || attempts || ' ran out'`,
	).Replace
}

func newStatements(table, clock string) statements {
	fill := filler(table, clock)
	return statements{
		insert: fill(`INSERT INTO {table} (key, handler, status, attempts, holds, owner, due, fingerprint, created_at, claimed_at)
			VALUES ($1, $2, 'running', 1, 0, $3, {now} + $4::bigint * interval '1 microsecond', $5, {now}, {now})
			ON CONFLICT (key) DO NOTHING RETURNING {record}`),
		find: fill(`SELECT {record} FROM {table} WHERE key = $1 AND {replan}`),
		take: fill(`UPDATE {table} SET status = 'running', attempts = $7, owner = $8, claimed_at = {now},
				due = {now} + $9::bigint * interval '1 microsecond', fingerprint = coalesce(fingerprint, $10),
				error = CASE WHEN status = 'running' THEN {ranout} ELSE error END
			WHERE {seen} RETURNING {record}`),
		bury: fill(`UPDATE {table} SET status = 'dead', attempts = $7, owner = NULL, due = NULL, completed_at = {now},
				error = CASE WHEN status = 'running' THEN {ranout} ELSE error END
			WHERE {seen} RETURNING {record}`),
		complete: fill(`UPDATE {table} SET status = $4, due = NULL, result = $5, error = nullif($6, ''), completed_at = {now}
			WHERE {held}`),
		release: fill(`UPDATE {table} SET attempts = attempts + 1, holds = holds + $7, owner = NULL, error = nullif($6, ''),
				status       = CASE WHEN attempts + 1 - holds - $7 > $5 THEN 'dead' ELSE 'waiting' END,
				due          = CASE WHEN attempts + 1 - holds - $7 > $5 THEN NULL ELSE {now} + $4::bigint * interval '1 microsecond' END,
				completed_at = CASE WHEN attempts + 1 - holds - $7 > $5 THEN {now} END
			WHERE {held}`),
		extend: fill(`UPDATE {table} SET due = {now} + $4::bigint * interval '1 microsecond'
			WHERE {held}`),
		// In both, the inner conditions find the rows, and the outer ones are
		// checked again on a row that changed while its lock was waited for.
		// ARRAY has the inner query run once.
		sweep: fill(`UPDATE {table} SET status = 'waiting', attempts = attempts + 1, owner = NULL, due = {now}, error = {ranout}
			WHERE status = 'running' AND due <= {now} AND key = ANY (ARRAY(
				SELECT key FROM {table} WHERE status = 'running' AND due <= {now} ORDER BY created_at LIMIT $1)) AND {replan}`),
		purge: fill(`DELETE FROM {table}
			WHERE status <> 'running' AND CASE status WHEN 'waiting' THEN due ELSE completed_at END < {past} AND key = ANY (ARRAY(
				SELECT key FROM {table} WHERE handler = $1 AND created_at < {past}
					AND status <> 'running' AND CASE status WHEN 'waiting' THEN due ELSE completed_at END < {past} ORDER BY created_at LIMIT $3)) AND {replan}`),
	}
}
