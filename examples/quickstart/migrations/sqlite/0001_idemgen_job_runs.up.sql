-- One row per key: who holds it, and what came of it. A worker that inserts
-- the key first is the one that runs the work. idemgen.lock freezes this file:
-- make changes in a migration of your own.
--
-- Times are milliseconds since 1970 in UTC. job_runs_text shows them as text.

CREATE TABLE job_runs (
    key          TEXT NOT NULL PRIMARY KEY,
    handler      TEXT NOT NULL,
    status       TEXT NOT NULL,
    attempts     INTEGER NOT NULL,
    holds        INTEGER NOT NULL DEFAULT 0,
    owner        TEXT,
    due          INTEGER,
    fingerprint  BLOB,
    payload      BLOB,
    result       BLOB,
    error        TEXT,
    created_at   INTEGER NOT NULL,
    claimed_at   INTEGER,
    completed_at INTEGER,
    CONSTRAINT state_is_whole CHECK (CASE status
        WHEN 'running' THEN owner IS NOT NULL AND due IS NOT NULL
        WHEN 'waiting' THEN due IS NOT NULL
        ELSE status IN ('done', 'failed', 'stale', 'dead') AND completed_at IS NOT NULL
    END)
) STRICT;

-- For the sweeper.
CREATE INDEX job_runs_running ON job_runs (created_at) WHERE status = 'running';

-- For the purge. A run enters it once, when it is claimed.
CREATE INDEX job_runs_created ON job_runs (handler, created_at);

-- For redrives, and to count the dead. Most runs never enter it.
CREATE INDEX job_runs_left ON job_runs (status, handler, created_at, key) WHERE status IN ('waiting', 'dead');

-- What the sweep and each handler's purge did last: a row a task, sweep or
-- purge:HANDLER. The first one writes the row. A period is in milliseconds.
CREATE TABLE job_runs_maintenance (
    task      TEXT NOT NULL PRIMARY KEY,
    period    INTEGER NOT NULL,
    began_at  INTEGER NOT NULL,
    ended_at  INTEGER,
    row_count INTEGER NOT NULL DEFAULT 0,
    error     TEXT
) STRICT;

-- For people: payload, result and times as text. SQLite keeps the comment
-- within, which is how the store finds the version of the schema.
CREATE VIEW job_runs_text AS /* idemgen schema 1 */
SELECT
    key,
    handler,
    status,
    attempts,
    holds,
    owner,
    strftime('%Y-%m-%d %H:%M:%f', due / 1000.0, 'unixepoch') AS due,
    lower(hex(fingerprint)) AS fingerprint,
    CAST(payload AS TEXT) AS payload,
    CAST(result AS TEXT) AS result,
    error,
    strftime('%Y-%m-%d %H:%M:%f', created_at / 1000.0, 'unixepoch') AS created_at,
    strftime('%Y-%m-%d %H:%M:%f', claimed_at / 1000.0, 'unixepoch') AS claimed_at,
    strftime('%Y-%m-%d %H:%M:%f', completed_at / 1000.0, 'unixepoch') AS completed_at
FROM job_runs;
