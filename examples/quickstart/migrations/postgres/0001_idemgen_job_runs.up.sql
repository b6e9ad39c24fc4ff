-- One row per key: who holds it, and what came of it. A worker that inserts
-- the key first is the one that runs the work. idemgen.lock freezes this file:
-- make changes in a migration of your own.
--
-- Least privilege, for roles of your own:
--   workers  GRANT SELECT, INSERT, UPDATE ON job_runs
--   sweeper  GRANT SELECT, UPDATE ON job_runs
--            GRANT SELECT, INSERT, UPDATE ON job_runs_maintenance
--   purge    GRANT SELECT, DELETE ON job_runs
--            GRANT SELECT, INSERT, UPDATE ON job_runs_maintenance
--   health   GRANT SELECT ON job_runs, job_runs_maintenance
--   people   GRANT SELECT ON job_runs_text, job_runs_maintenance

CREATE TABLE job_runs (
    key          text COLLATE "C" PRIMARY KEY,
    handler      text COLLATE "C" NOT NULL,
    status       text COLLATE "C" NOT NULL,
    attempts     integer NOT NULL,
    holds        integer NOT NULL DEFAULT 0,
    owner        uuid,
    due          timestamptz,
    fingerprint  bytea,
    payload      bytea,
    result       bytea,
    error        text,
    created_at   timestamptz NOT NULL,
    claimed_at   timestamptz,
    completed_at timestamptz,
    CONSTRAINT state_is_whole CHECK (CASE status
        WHEN 'running' THEN owner IS NOT NULL AND due IS NOT NULL
        WHEN 'waiting' THEN due IS NOT NULL
        ELSE status IN ('done', 'failed', 'stale', 'dead') AND completed_at IS NOT NULL
    END)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

COMMENT ON TABLE job_runs IS 'idemgen schema 1';

-- For the sweeper. It does not name due, so that extending a lease stays HOT.
CREATE INDEX job_runs_running ON job_runs (created_at) WHERE status = 'running';

-- For the purge. A run enters it once, when it stops running.
CREATE INDEX job_runs_created ON job_runs (handler, created_at) WHERE status <> 'running';

-- For redrives, and to count the dead. Most runs never enter it.
CREATE INDEX job_runs_left ON job_runs (status, handler, created_at, key) WHERE status IN ('waiting', 'dead');

-- What the sweep and each handler's purge did last: a row a task, sweep or
-- purge:HANDLER. The first one writes the row.
CREATE TABLE job_runs_maintenance (
    task      text COLLATE "C" PRIMARY KEY,
    period    interval NOT NULL,
    began_at  timestamptz NOT NULL,
    ended_at  timestamptz,
    row_count bigint NOT NULL DEFAULT 0,
    error     text
);

-- For people: payload and result as text, or in escapes where it is not UTF-8.
CREATE VIEW job_runs_text AS
SELECT
    key,
    handler,
    status,
    attempts,
    holds,
    owner,
    due,
    encode(fingerprint, 'hex') AS fingerprint,
    CASE
        WHEN current_setting('server_encoding') = 'UTF8' AND encode(payload, 'hex') ~ '^(?:0[1-9a-f]|[1-7].|(?:c[2-9a-f]|d.)[89ab].|e0[ab].[89ab].|e[1-9a-cef](?:[89ab].){2}|ed[89].[89ab].|f0[9ab].(?:[89ab].){2}|f[1-3](?:[89ab].){3}|f48.(?:[89ab].){2})*$'
        THEN convert_from(payload, 'UTF8')
        ELSE encode(payload, 'escape')
    END AS payload,
    CASE
        WHEN current_setting('server_encoding') = 'UTF8' AND encode(result, 'hex') ~ '^(?:0[1-9a-f]|[1-7].|(?:c[2-9a-f]|d.)[89ab].|e0[ab].[89ab].|e[1-9a-cef](?:[89ab].){2}|ed[89].[89ab].|f0[9ab].(?:[89ab].){2}|f[1-3](?:[89ab].){3}|f48.(?:[89ab].){2})*$'
        THEN convert_from(result, 'UTF8')
        ELSE encode(result, 'escape')
    END AS result,
    error,
    created_at,
    claimed_at,
    completed_at
FROM job_runs;
