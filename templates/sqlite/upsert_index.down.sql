-- Upserts into {{.Table}} fail without it.

DROP INDEX {{.Index}};
