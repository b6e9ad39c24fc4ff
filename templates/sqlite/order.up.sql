-- One row per handler and entity: which run holds the entity, and the newest
-- version that was applied to it. A run enters the entity before its handler
-- begins, and applies its version before its own row in {{.Table}} is done; an
-- older version is stale, and not run. idemgen.lock freezes this file: make
-- changes in a migration of your own.
--
-- Times are milliseconds since 1970 in UTC. SQLite keeps the comment within,
-- which is how the store finds the version of the schema.

CREATE TABLE {{.Table}}_order ( /* idemgen schema 1 */
    handler    TEXT NOT NULL,
    entity     TEXT NOT NULL,
    version    INTEGER,
    lease      INTEGER NOT NULL,
    key        TEXT NOT NULL,
    owner      TEXT NOT NULL,
    due        INTEGER,
    applied_at INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (handler, entity),
    CONSTRAINT version_was_applied CHECK ((version IS NULL) = (applied_at IS NULL))
) STRICT;

-- For the purge.
CREATE INDEX {{.Schema}}{{.Name}}_order_touched ON {{.Name}}_order (handler, coalesce(applied_at, created_at));
