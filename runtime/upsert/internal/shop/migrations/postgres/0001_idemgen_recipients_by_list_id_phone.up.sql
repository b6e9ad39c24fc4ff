-- The unique index of upserts into recipients.
--
-- No two rows have the same list_id and phone: an upsert finds by it the row
-- that is there. idemgen.lock freezes this file: make changes in a migration
-- of your own.
--
-- It is built while others go on writing, so it stands alone and outside of a
-- transaction. Rows that agree make it fail, and leave an index that is not
-- valid. Look for them before:
--
--     SELECT list_id, phone, count(*) FROM recipients GROUP BY list_id, phone HAVING count(*) > 1;
--
-- After a failure mend them, drop the index and run this again:
--
--     DROP INDEX CONCURRENTLY recipients_by_list_id_phone;

CREATE UNIQUE INDEX CONCURRENTLY recipients_by_list_id_phone ON recipients (list_id, phone);
