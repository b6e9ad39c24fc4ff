{{.Header}}
--
-- How do the runs in {{.Runs}} fare? {{.Runs}}_text shows their results as text.
--
--     sqlite3 -header -column app.db < {{.File}}

-- 1. state: how many runs there are of each handler in each state. It reads
--    the whole table.
SELECT
    'state' AS finding,
    handler,
    status,
    count(*) AS run_count,
    datetime(min(created_at) / 1000, 'unixepoch') AS oldest,
    datetime(max(created_at) / 1000, 'unixepoch') AS newest
FROM {{.Runs}}
GROUP BY handler, status
ORDER BY handler, status;

-- 2. stuck: running, though the lease is over: the worker died. The next
--    delivery takes the key, and the sweep gives it back. Rows here that stay
--    mean that there is neither.
SELECT
    'stuck' AS finding,
    handler,
    key,
    attempts,
    owner,
    datetime(claimed_at / 1000, 'unixepoch') AS claimed_at,
    datetime(due / 1000, 'unixepoch') AS lease_ended,
    error
FROM {{.Runs}}
WHERE status = 'running'
    AND due < strftime('%s', 'now') * 1000
ORDER BY created_at
LIMIT 100;

-- 3. not delivered again: waiting for an hour and more past the time at which
--    they could be claimed. The broker has given up: deliver them again.
SELECT
    'not delivered again' AS finding,
    handler,
    key,
    attempts,
    datetime(due / 1000, 'unixepoch') AS claimable_since,
    error
FROM {{.Runs}}
WHERE status = 'waiting'
    AND due < strftime('%s', 'now') * 1000 - 3600000
ORDER BY due
LIMIT 100;

-- 4. often attempted: more than two attempts made, holds not counted: a
--    waiting or dead run has the number of its next attempt, which it has not
--    made. A lease that is too short, or work that keeps failing.
SELECT
    'often attempted' AS finding,
    handler,
    key,
    status,
    attempts - holds - CASE WHEN status IN ('waiting', 'dead') THEN 1 ELSE 0 END AS attempts_made,
    holds,
    datetime(claimed_at / 1000, 'unixepoch') AS claimed_at,
    error
FROM {{.Runs}}
WHERE attempts - holds - CASE WHEN status IN ('waiting', 'dead') THEN 1 ELSE 0 END > 2
ORDER BY attempts_made DESC, created_at DESC
LIMIT 100;

-- 5. dead: attempts used up. Nothing runs these again by itself. When the
--    cause is mended, revive one, with all its attempts before it again:
--
--        UPDATE {{.Runs}}
--        SET status = 'waiting', due = strftime('%s', 'now') * 1000, holds = attempts - 1, completed_at = NULL
--        WHERE key = '...' AND status = 'dead'
--
--    and deliver it again.
SELECT
    'dead' AS finding,
    handler,
    key,
    attempts,
    datetime(completed_at / 1000, 'unixepoch') AS died_at,
    error
FROM {{.Runs}}
WHERE status = 'dead'
ORDER BY completed_at DESC
LIMIT 100;

-- 6. upkeep stopped: the sweep, or a handler's purge, that last ended longer ago
--    than two of its periods, or in an error. No program runs idem.Maintain any
--    more, or each fails at it.
SELECT
    'upkeep stopped' AS finding,
    task,
    period / 1000 || ' seconds' AS period,
    datetime(began_at / 1000, 'unixepoch') AS began_at,
    datetime(ended_at / 1000, 'unixepoch') AS ended_at,
    row_count,
    error
FROM {{.Runs}}_maintenance
WHERE (error IS NOT NULL OR coalesce(ended_at, began_at) < strftime('%s', 'now') * 1000 - 2 * period)
    AND task IN ('sweep'
{{- range .Kept}},
        'purge:{{.Namespace}}'
{{- end}})
ORDER BY task
LIMIT 100;
{{- if .Kept}}

-- 7. expired: runs older than the retention of their handler by more than two
--    periods of the purge, which should have deleted them.
WITH idemgen$retention (handler, retain) AS (
    VALUES
{{- range $i, $kept := .Kept}}
        {{- if $i}},{{end}}
        ('{{$kept.Namespace}}', {{$kept.Retain.Milliseconds}})
{{- end}}
)
SELECT
    'expired' AS finding,
    run.handler,
    retention.retain / 1000 || ' seconds' AS retain,
    count(*) AS run_count,
    datetime(min(run.created_at) / 1000, 'unixepoch') AS oldest
FROM {{.Runs}} AS run
JOIN idemgen$retention AS retention ON retention.handler = run.handler
LEFT JOIN {{.Runs}}_maintenance AS purge ON purge.task = 'purge:' || run.handler
WHERE run.status <> 'running'
    AND coalesce(run.completed_at, run.due) < strftime('%s', 'now') * 1000 - retention.retain - coalesce(2 * purge.period, 0)
GROUP BY run.handler, retention.retain
ORDER BY run.handler;
{{- end}}
