-- The unique index of upserts into visits.
--
-- No two rows have the same page and visitor: an upsert finds by it the row
-- that is there. idemgen.lock freezes this file: make changes in a migration
-- of your own.
--
-- Rows that agree make it fail. Look for them before:
--
--     SELECT page, visitor, count(*) FROM visits GROUP BY page, visitor HAVING count(*) > 1;

CREATE UNIQUE INDEX visits_by_page_visitor ON visits (page, visitor);
