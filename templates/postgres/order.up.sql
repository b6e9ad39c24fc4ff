-- One row per handler and entity: which run holds the entity, and the newest
-- version that was applied to it. A run enters the entity before its handler
-- begins, and applies its version before its own row in {{.Table}} is done; an
-- older version is stale, and not run. idemgen.lock freezes this file: make
-- changes in a migration of your own.
--
-- Least privilege, besides what {{.Table}} says:
--   workers  GRANT SELECT, INSERT, UPDATE ON {{.Table}}_order
--   purge    GRANT SELECT, DELETE ON {{.Table}}_order
--   people   GRANT SELECT ON {{.Table}}_order

CREATE TABLE {{.Table}}_order (
    handler    text COLLATE "C" NOT NULL,
    entity     text COLLATE "C" NOT NULL,
    version    bigint,
    lease      bigint NOT NULL,
    key        text COLLATE "C" NOT NULL,
    owner      uuid NOT NULL,
    due        timestamptz,
    applied_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (handler, entity),
    CONSTRAINT version_was_applied CHECK ((version IS NULL) = (applied_at IS NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

COMMENT ON TABLE {{.Table}}_order IS 'idemgen schema 1';

-- For the purge. It does not name due, so that to enter, to keep and to leave
-- an entity stays HOT.
CREATE INDEX {{.Name}}_order_touched ON {{.Table}}_order (handler, coalesce(applied_at, created_at));
