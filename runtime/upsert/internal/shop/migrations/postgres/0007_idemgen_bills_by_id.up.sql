-- The unique index of upserts into bills.
--
-- No two rows have the same id: an upsert finds by it the row that is there.
-- idemgen.lock freezes this file: make changes in a migration of your own.
--
-- It is built while others go on writing, so it stands alone and outside of a
-- transaction. Rows that agree make it fail, and leave an index that is not
-- valid. Look for them before:
--
--     SELECT id, count(*) FROM bills GROUP BY id HAVING count(*) > 1;
--
-- After a failure mend them, drop the index and run this again:
--
--     DROP INDEX CONCURRENTLY bills_by_id;

CREATE UNIQUE INDEX CONCURRENTLY bills_by_id ON bills (id);
