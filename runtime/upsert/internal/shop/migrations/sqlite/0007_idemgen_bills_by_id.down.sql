-- Upserts into bills fail without it.

DROP INDEX bills_by_id;
