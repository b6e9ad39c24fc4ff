-- Upserts into bills fail without it.

DROP INDEX CONCURRENTLY bills_by_id;
