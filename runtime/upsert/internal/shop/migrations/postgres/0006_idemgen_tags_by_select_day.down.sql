-- Upserts into tags fail without it.

DROP INDEX CONCURRENTLY tags_by_select_day;
