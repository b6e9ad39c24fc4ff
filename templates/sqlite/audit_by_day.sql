-- 2. day that differs: days with more rows of {{.Table}} than runs of {{.Namespace}} that
--    are done, or with fewer. Rows cannot be matched with runs one by one:
--    {{.WhyNot}}. Work in flight, and work done around midnight, makes a difference of a few.
SELECT
    'day that differs' AS finding,
    days.day,
    sum(days.row_count) AS row_count,
    sum(days.run_count) AS run_count
FROM (
    SELECT date({{template "Seconds" (print "effect." .Time)}}, 'unixepoch') AS day, 1 AS row_count, 0 AS run_count FROM {{.Table}} AS effect
    UNION ALL
    SELECT date(completed_at / 1000, 'unixepoch'), 0, 1 FROM {{.Runs}} WHERE handler = '{{.Namespace}}' AND status = 'done'
) AS days
WHERE days.day >= (SELECT date(min(created_at) / 1000, 'unixepoch') FROM {{.Runs}} WHERE handler = '{{.Namespace}}')
{{- if .Window}}
    AND days.day > date('now', '-{{.Window.Seconds}} seconds')
{{- end}}
GROUP BY days.day
HAVING sum(days.row_count) <> sum(days.run_count)
ORDER BY days.day DESC
LIMIT 100;
