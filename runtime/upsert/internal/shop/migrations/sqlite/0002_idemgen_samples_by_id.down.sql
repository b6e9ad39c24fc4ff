-- Upserts into samples fail without it.

DROP INDEX samples_by_id;
