-- Upserts into recipients fail without it.

DROP INDEX recipients_by_list_id_phone;
