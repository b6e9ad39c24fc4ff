package pgstore

import "strings"

// orderStatements are the SQL about the entities of ordered handlers. The twin for
// SQLite has the same names in the same order.
type orderStatements struct {
	schema                                 string
	look, place, enter, apply, leave, keep string
	idle, forget                           string
}

// orderFiller puts in what these statements share.
func orderFiller(table, clock string) func(string) string {
	fill := upkeepFiller(table, clock)
	parts := strings.NewReplacer(
		"{order}", "{table}_order",
		"{entity}", `handler, entity, coalesce(version, 0), version IS NOT NULL, lease, key, owner, due IS NOT NULL, due - {now}`,
		"{this}", `handler = $1 AND entity = $2 AND {replan}`,
		"{mine}", `handler = $1 AND entity = $2 AND owner = $3 AND lease = $4 AND due IS NOT NULL AND {replan}`,
		"{until}", `{now} + $5::bigint * interval '1 microsecond'`,
		"{touched}", `coalesce(applied_at, created_at)`,
	).Replace
	return func(sql string) string { return fill(parts(parts(sql))) }
}

func newOrderStatements(table, clock string) orderStatements {
	fill := orderFiller(table, clock)
	return orderStatements{
		schema: comment,
		look:   fill(`SELECT {entity} FROM {order} WHERE {this}`),
		place: fill(`INSERT INTO {order} (handler, entity, lease, key, owner, due, created_at)
			VALUES ($1, $2, 1, $3, $4, {until}, {now})
			ON CONFLICT (handler, entity) DO NOTHING RETURNING {entity}`),
		enter: fill(`UPDATE {order} SET lease = lease + 1, key = $3, owner = $4, due = {until}
			WHERE {this} AND lease = $6 AND owner = $7 AND version IS NOT DISTINCT FROM $8 AND (due IS NULL OR due <= {now})
			RETURNING {entity}`),
		// The holder stays, so that it recognises what it has done.
		apply: fill(`UPDATE {order} SET version = $5, due = NULL, applied_at = {now}
			WHERE {mine}`),
		leave: fill(`UPDATE {order} SET due = NULL
			WHERE {mine}`),
		keep: fill(`UPDATE {order} SET due = {until}
			WHERE {mine}`),
		idle: fill(`SELECT coalesce(array_agg(entity ORDER BY touched_at), '{}'), coalesce(array_agg(touched_at ORDER BY touched_at), '{}') FROM (
			SELECT entity, {touched} AS touched_at FROM {order} WHERE handler = $4 AND {touched} < {age} AND (due IS NULL OR due < {age})
				AND ({touched}, entity) >= ($1, '') AND entity <> ALL ($2::text[]) AND {replan} ORDER BY {touched} LIMIT $3) AS batch`),
		// What was found is looked at again: it may have been entered since. The
		// rows are searched for one by one, by OFFSET 0: of many names in a key of
		// two columns a planner that knows nothing of the table expects so many
		// rows that it scans all of it, or all of the handler.
		forget: fill(`DELETE FROM {order}
			WHERE ctid = ANY (ARRAY(SELECT found.tid FROM unnest($1::text[]) AS name,
					LATERAL (SELECT ctid AS tid FROM {order} WHERE handler = $3 AND entity = name OFFSET 0) AS found))
				AND {touched} < {past} AND (due IS NULL OR due < {past}) AND {replan}`),
	}
}
