-- Forgets every run: work that was done runs again when it is redelivered.

DROP VIEW job_runs_text;

DROP TABLE job_runs_maintenance;

DROP TABLE job_runs;
