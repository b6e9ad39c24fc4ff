-- Forgets which versions were applied: an older one that is redelivered runs.

DROP TABLE {{.Table}}_order;
