-- Upserts into readings fail without it.

DROP INDEX CONCURRENTLY readings_by_sensor;
