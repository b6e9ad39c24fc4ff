-- The unique index of upserts into readings.
--
-- No two rows have the same sensor: an upsert finds by it the row that is
-- there. idemgen.lock freezes this file: make changes in a migration of your
-- own.
--
-- Rows that agree make it fail. Look for them before:
--
--     SELECT sensor, count(*) FROM readings GROUP BY sensor HAVING count(*) > 1;

CREATE UNIQUE INDEX readings_by_sensor ON readings (sensor);
