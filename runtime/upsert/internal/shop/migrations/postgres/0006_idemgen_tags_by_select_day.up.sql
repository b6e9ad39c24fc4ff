-- The unique index of upserts into tags.
--
-- No two rows have the same select and day: an upsert finds by it the row
-- that is there. idemgen.lock freezes this file: make changes in a migration
-- of your own.
--
-- It is built while others go on writing, so it stands alone and outside of a
-- transaction. Rows that agree make it fail, and leave an index that is not
-- valid. Look for them before:
--
--     SELECT "select", day, count(*) FROM tags GROUP BY "select", day HAVING count(*) > 1;
--
-- After a failure mend them, drop the index and run this again:
--
--     DROP INDEX CONCURRENTLY tags_by_select_day;

CREATE UNIQUE INDEX CONCURRENTLY tags_by_select_day ON tags ("select", day);
