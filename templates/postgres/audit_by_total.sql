-- 2. totals that differ: more rows of {{.Table}} than runs of {{.Namespace}} that are done,
--    or fewer. Rows cannot be matched with runs one by one: {{.WhyNot}}.
--    Add "time COLUMN" to the audit to have them compared day by day.
SELECT
    'totals that differ' AS finding,
    row_count,
    run_count
FROM
    (SELECT count(*) AS row_count FROM {{.Table}}) AS effects,
    (SELECT count(*) AS run_count FROM {{.Runs}} WHERE handler = '{{.Namespace}}' AND status = 'done') AS runs
WHERE row_count <> run_count;
