package sqlitestore

import "strings"

// upkeep are the statements of sweep, purge and all else that nobody waits
// for. The twin for Postgres has the same names in the same order.
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
	schema, name := "", table
	if dot := strings.IndexByte(table, '.'); dot >= 0 {
		schema, name = table[:dot+1], table[dot+1:]
	}
	parts := strings.NewReplacer(
		"{tasks}", "{table}_maintenance",
		"{catalog}", schema+"sqlite_schema", "{name}", name,
		"{keys}", `(SELECT value FROM json_each(?1))`,
		"{behind}", `created_at >= ?1 AND key NOT IN (SELECT value FROM json_each(?2))`,
		"{oldest}", `ORDER BY created_at LIMIT ?3`,
		// Rows are compared twice, since not every index has the key.
		"{after}", `created_at >= ?1 AND (created_at, key) > (?1, ?2)`,
		"{first}", `ORDER BY created_at, key LIMIT ?3`,
		"{age}", `{now} - ?5`, // +handler below is for no index on it
		"{over}", `status = 'running' AND due <= {now}`,
		"{ended}", `status <> 'running' AND CASE status WHEN 'waiting' THEN due ELSE completed_at END`,
	).Replace
	return func(sql string) string { return fill(parts(sql)) }
}

func newUpkeep(table, clock string) upkeep {
	fill := upkeepFiller(table, clock)
	u := upkeep{
		schema: fill(`VALUES (EXISTS (SELECT 1 FROM {catalog} WHERE type = 'table' AND name = '{name}'),
			coalesce((SELECT sql FROM {catalog} WHERE type = 'view' AND name = '{name}_text'), ''))`),
		expired: fill(`SELECT key, created_at FROM {table} WHERE {over} AND {behind} {oldest}`),
		// What was found is looked at again: it may have changed since.
		reset: fill(`UPDATE {table} SET status = 'waiting', attempts = attempts + 1, owner = NULL, due = {now}, error = {ranout}
			WHERE key IN {keys} AND {over}`),
		finished: fill(`SELECT key, created_at FROM {table} WHERE handler = ?4 AND created_at < {age} AND {ended} < {age}
			AND {behind} {oldest}`),
		remove: fill(`DELETE FROM {table}
			WHERE key IN {keys} AND {ended} < {past}`),
		undelivered: fill(`SELECT * FROM (
			SELECT * FROM (SELECT key, created_at, payload FROM {table} WHERE status IN ('waiting', 'dead') AND status = 'waiting'
				AND handler = ?4 AND due <= {now} AND payload IS NOT NULL AND {after} {first})
			UNION ALL
			SELECT * FROM (SELECT key, created_at, payload FROM {table} WHERE {over}
				AND +handler = ?4 AND payload IS NOT NULL AND {after} {first}))
			{first}`),
	}
	u.setTasks(fill)
	return u
}

// setTasks sets the statements about the maintenance itself.
func (u *upkeep) setTasks(fill func(string) string) {
	// A row of the future, from a clock that was set back, is as good as none.
	u.wait = fill(`SELECT CASE WHEN began_at > {now} THEN 0 ELSE began_at - {now} + ?2 END FROM {tasks} WHERE task = ?1`)
	u.begin = fill(`INSERT INTO {tasks} AS task (task, period, began_at) VALUES (?1, ?2, {now})
		ON CONFLICT (task) DO UPDATE SET period = excluded.period, began_at = excluded.began_at
		WHERE task.began_at <= excluded.began_at - excluded.period OR task.began_at > excluded.began_at`)
	u.end = fill(`UPDATE {tasks} SET ended_at = {now}, row_count = ?2, error = nullif(?3, '') WHERE task = ?1`)
	u.health = fill(`SELECT {now} - coalesce(ended_at, began_at), period, row_count, coalesce(error, '')
		FROM {tasks} WHERE task = ?1`)
	u.countExpired = fill(`SELECT count(*) FROM (
		SELECT 1 FROM {table} WHERE status = 'running' AND due <= {now} - ?1 ORDER BY created_at LIMIT ?2)`)
	u.countFinished = fill(`SELECT count(*) FROM (
		SELECT 1 FROM {table} WHERE handler = ?1 AND created_at < {past} AND {ended} < {past} ORDER BY created_at LIMIT ?3)`)
	u.countDead = fill(`SELECT count(*) FROM (
		SELECT 1 FROM {table} WHERE status IN ('waiting', 'dead') AND status = ?1
		ORDER BY handler, created_at LIMIT ?2)`)
}
