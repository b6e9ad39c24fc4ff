-- The unique index of upserts into visits.
--
-- No two rows have the same page and visitor: an upsert finds by it the row
-- that is there. idemgen.lock freezes this file: make changes in a migration
-- of your own.
--
-- It is built while others go on writing, so it stands alone and outside of a
-- transaction. Rows that agree make it fail, and leave an index that is not
-- valid. Look for them before:
--
--     SELECT page, visitor, count(*) FROM visits GROUP BY page, visitor HAVING count(*) > 1;
--
-- After a failure mend them, drop the index and run this again:
--
--     DROP INDEX CONCURRENTLY visits_by_page_visitor;

CREATE UNIQUE INDEX CONCURRENTLY visits_by_page_visitor ON visits (page, visitor);
