-- Forgets every run: work that was done runs again when it is redelivered.

DROP VIEW {{.Table}}_text;

DROP TABLE {{.Table}}_maintenance;

DROP TABLE {{.Table}};
