package pgstore

import "strings"

// upkeep are the statements of sweep, purge and all else that nobody waits
// for. The twin for SQLite has the same names in the same order.
type upkeep struct {
	schema                                         string
	expired, reset, finished, remove               string
	undelivered                                    string
	wait, begin, end                               string
	health, countExpired, countFinished, countDead string
}

// upkeepFiller puts in what these statements share.
func upkeepFiller(table, clock string) func(string) string {
	fill := filler(table, clock)
	parts := strings.NewReplacer(
		"{tasks}", "{table}_maintenance",
		// As created_at >= $1 it would make a range with created_at < {age},
		// which the planner takes for a narrow one, and sorts all that is in it.
		"{behind}", `(created_at, key) >= ($1, '') AND key <> ALL ($2::text[])`,
		"{oldest}", `ORDER BY created_at LIMIT $3`,
		"{places}", `coalesce(array_agg(key ORDER BY created_at), '{}'), coalesce(array_agg(created_at ORDER BY created_at), '{}')`,
		// Rows are compared twice, since not every index has the key.
		"{after}", `created_at >= $1 AND (created_at, key) > ($1, $2)`,
		"{first}", `ORDER BY created_at, key LIMIT $3`,
		// An index cannot be searched for a volatile clock, hence SELECT.
		"{age}", `(SELECT {now}) - $5::bigint * interval '1 microsecond'`,
		"{over}", `status = 'running' AND due <= {now}`,
		"{ended}", `status <> 'running' AND CASE status WHEN 'waiting' THEN due ELSE completed_at END`,
	).Replace
	return func(sql string) string { return fill(parts(sql)) }
}

func newUpkeep(table, clock string) upkeep {
	fill := upkeepFiller(table, clock)
	u := upkeep{
		schema: comment,
		expired: fill(`SELECT {places} FROM (
			SELECT key, created_at FROM {table} WHERE {over} AND {behind} AND {replan} {oldest}) AS batch`),
		// What was found is looked at again: it may have changed since, or
		// while its lock was waited for. The handler, which it cannot have
		// changed, would only tempt the planner to another index.
		reset: fill(`UPDATE {table} SET status = 'waiting', attempts = attempts + 1, owner = NULL, due = {now}, error = {ranout}
			WHERE key = ANY ($1::text[]) AND {over} AND {replan}`),
		finished: fill(`SELECT {places} FROM (
			SELECT key, created_at FROM {table} WHERE handler = $4 AND created_at < {age} AND {ended} < {age}
				AND {behind} AND {replan} {oldest}) AS batch`),
		remove: fill(`DELETE FROM {table}
			WHERE key = ANY ($1::text[]) AND {ended} < {past} AND {replan}`),
		undelivered: fill(`SELECT coalesce(array_agg(key ORDER BY created_at, key), '{}'), coalesce(array_agg(created_at ORDER BY created_at, key), '{}'),
				coalesce(array_agg(payload ORDER BY created_at, key), '{}') FROM (
			SELECT * FROM (SELECT key, created_at, payload FROM {table} WHERE status IN ('waiting', 'dead') AND status = 'waiting'
				AND handler = $4 AND due <= {now} AND payload IS NOT NULL AND {after} AND {replan} {first}) AS waiting
			UNION ALL
			SELECT * FROM (SELECT key, created_at, payload FROM {table} WHERE {over}
				AND handler = $4 AND payload IS NOT NULL AND {after} AND {replan} {first}) AS running
			{first}) AS batch`),
	}
	u.setTasks(fill)
	return u
}

// setTasks sets the statements about the maintenance itself.
func (u *upkeep) setTasks(fill func(string) string) {
	// A row of the future, from a clock that was set back, is as good as none.
	u.wait = fill(`SELECT CASE WHEN began_at > {now} THEN 0
			ELSE ceil(extract(epoch FROM began_at - {now}) * 1000000)::bigint + $2::bigint END
		FROM {tasks} WHERE task = $1`)
	u.begin = fill(`INSERT INTO {tasks} AS task (task, period, began_at) VALUES ($1, $2::bigint * interval '1 microsecond', {now})
		ON CONFLICT (task) DO UPDATE SET period = excluded.period, began_at = excluded.began_at
		WHERE task.began_at <= excluded.began_at - excluded.period OR task.began_at > excluded.began_at`)
	u.end = fill(`UPDATE {tasks} SET ended_at = {now}, row_count = $2, error = nullif($3, '') WHERE task = $1`)
	u.health = fill(`SELECT coalesce(extract(epoch FROM {now} - coalesce(ended_at, began_at)) * 1000000, 0)::bigint,
			(extract(epoch FROM period) * 1000000)::bigint, row_count, coalesce(error, '')
		FROM {tasks} WHERE task = $1`)
	u.countExpired = fill(`SELECT count(*) FROM (
		SELECT FROM {table} WHERE status = 'running' AND due <= (SELECT {now}) - $1::bigint * interval '1 microsecond'
			AND {replan} ORDER BY created_at LIMIT $2) AS overdue`)
	u.countFinished = fill(`SELECT count(*) FROM (
		SELECT FROM {table} WHERE handler = $1 AND created_at < {past} AND {ended} < {past}
			AND {replan} ORDER BY created_at LIMIT $3) AS overdue`)
	u.countDead = fill(`SELECT count(*) FROM (
		SELECT FROM {table} WHERE status IN ('waiting', 'dead') AND status = $1
			AND {replan} ORDER BY handler, created_at LIMIT $2) AS dead`)
}
