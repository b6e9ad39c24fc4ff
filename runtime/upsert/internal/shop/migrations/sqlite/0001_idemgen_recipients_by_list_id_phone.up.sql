-- The unique index of upserts into recipients.
--
-- No two rows have the same list_id and phone: an upsert finds by it the row
-- that is there. idemgen.lock freezes this file: make changes in a migration
-- of your own.
--
-- Rows that agree make it fail. Look for them before:
--
--     SELECT list_id, phone, count(*) FROM recipients GROUP BY list_id, phone HAVING count(*) > 1;

CREATE UNIQUE INDEX recipients_by_list_id_phone ON recipients (list_id, phone);
