-- Upserts into readings fail without it.

DROP INDEX readings_by_sensor;
