-- Upserts into {{.Table}} fail without it.

DROP INDEX CONCURRENTLY {{.Schema}}{{.Index}};
