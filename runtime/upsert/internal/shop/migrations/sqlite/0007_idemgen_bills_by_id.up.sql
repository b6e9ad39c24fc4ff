-- The unique index of upserts into bills.
--
-- No two rows have the same id: an upsert finds by it the row that is there.
-- idemgen.lock freezes this file: make changes in a migration of your own.
--
-- Rows that agree make it fail. Look for them before:
--
--     SELECT id, count(*) FROM bills GROUP BY id HAVING count(*) > 1;

CREATE UNIQUE INDEX bills_by_id ON bills (id);
