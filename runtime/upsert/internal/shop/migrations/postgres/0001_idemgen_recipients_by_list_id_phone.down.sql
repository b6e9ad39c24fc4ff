-- Upserts into recipients fail without it.

DROP INDEX CONCURRENTLY recipients_by_list_id_phone;
