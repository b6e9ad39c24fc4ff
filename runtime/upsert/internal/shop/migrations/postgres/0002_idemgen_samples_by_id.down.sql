-- Upserts into samples fail without it.

DROP INDEX CONCURRENTLY samples_by_id;
