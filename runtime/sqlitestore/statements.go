package sqlitestore

import "strings"

// statements are all the SQL of the store. {now} is the clock: of the
// database, and of the moment rather than of the transaction's start. The
// twin for Postgres has the same names in the same order.
type statements struct {
	insert, find, take, bury, complete, release, extend string
}

// filler returns what puts the parts that statements share in their places.
func filler(table, clock string) func(string) string {
	return strings.NewReplacer(
		"{table}", table, "{now}", clock,
		"{record}", `key, handler, status, attempts, holds, coalesce(owner, ''), fingerprint, result, result IS NULL, coalesce(error, ''),
			coalesce(due - `+clock+`, 0)`,
		"{held}", `key = ?1 AND status = 'running' AND owner = ?2 AND attempts = ?3`,
		"{seen}", `key = ?1 AND status = ?2 AND owner IS ?3 AND attempts = ?4
			AND handler = ?5 AND fingerprint IS ?6 AND due <= `+clock,
		"{past}", clock+` - ?2`,
		"{ranout}", `'the lease of attempt ' || attempts || ' ran out'`,
	).Replace
}

func newStatements(table, clock string) statements {
	fill := filler(table, clock)
	return statements{
		insert: fill(`INSERT INTO {table} (key, handler, status, attempts, holds, owner, due, fingerprint, payload, created_at, claimed_at)
			VALUES (?1, ?2, 'running', 1, 0, ?3, {now} + ?4, ?5, ?6, {now}, {now})
			ON CONFLICT (key) DO NOTHING RETURNING {record}`),
		find: fill(`SELECT {record} FROM {table} WHERE key = ?1`),
		take: fill(`UPDATE {table} SET status = 'running', attempts = ?7, owner = ?8, claimed_at = {now},
				due = {now} + ?9, fingerprint = coalesce(fingerprint, ?10), payload = coalesce(payload, ?11),
				error = CASE WHEN status = 'running' THEN {ranout} ELSE error END
			WHERE {seen} RETURNING {record}`),
		bury: fill(`UPDATE {table} SET status = 'dead', attempts = ?7, owner = NULL, due = NULL, completed_at = {now},
				error = CASE WHEN status = 'running' THEN {ranout} ELSE error END
			WHERE {seen} RETURNING {record}`),
		complete: fill(`UPDATE {table} SET status = ?4, due = NULL, payload = NULL, result = ?5, error = nullif(?6, ''), completed_at = {now}
			WHERE {held}`),
		release: fill(`UPDATE {table} SET attempts = attempts + 1, holds = holds + ?7, owner = NULL, error = nullif(?6, ''),
				status       = CASE WHEN attempts + 1 - holds - ?7 > ?5 THEN 'dead' ELSE 'waiting' END,
				due          = CASE WHEN attempts + 1 - holds - ?7 > ?5 THEN NULL ELSE {now} + ?4 END,
				completed_at = CASE WHEN attempts + 1 - holds - ?7 > ?5 THEN {now} END
			WHERE {held}`),
		extend: fill(`UPDATE {table} SET due = {now} + ?4
			WHERE {held}`),
	}
}
