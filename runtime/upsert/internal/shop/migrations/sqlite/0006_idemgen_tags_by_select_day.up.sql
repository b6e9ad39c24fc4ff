-- The unique index of upserts into tags.
--
-- No two rows have the same select and day: an upsert finds by it the row
-- that is there. idemgen.lock freezes this file: make changes in a migration
-- of your own.
--
-- Rows that agree make it fail. Look for them before:
--
--     SELECT `select`, day, count(*) FROM tags GROUP BY `select`, day HAVING count(*) > 1;

CREATE UNIQUE INDEX tags_by_select_day ON tags (`select`, day);
