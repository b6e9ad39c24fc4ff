-- Upserts into tags fail without it.

DROP INDEX tags_by_select_day;
