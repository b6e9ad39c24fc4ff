{{.Header}}
--
-- Did {{.Handler}} run twice, or past its wrapper? Each query looks for one
-- kind of finding and shows at most 100 of them: nothing at all is good news.
--
--     sqlite3 -header -column app.db < {{.File}}

-- 1. duplicate: more than one row of {{.Table}} for the same {{.Columns.Piece}}
{{- if .Since}}, in the last {{.Since}}{{end}}.
{{- with .NotNull}}
--    NULL {{if lt (len .) (len $.Columns)}}in {{.Names}} {{end}}is a finding too: such rows cannot be told apart, and
--    a unique index lets them repeat.
{{- end}}
SELECT
    'duplicate' AS finding,
{{- range .Columns}}
    {{.Shown}},
{{- end}}
    count(*) AS row_count
{{- if .Time}},
    min(effect.{{.Time}}) AS first_row,
    max(effect.{{.Time}}) AS last_row
{{- end}}
FROM {{.Table}} AS effect
{{- if .Since}}
WHERE {{template "Seconds" (print "effect." .Time)}} >= strftime('%s', 'now') - {{.Since.Seconds}}
{{- end}}
GROUP BY {{.Columns.Grouped}}
HAVING count(*) > 1{{range .NotNull}} OR {{.IsNull}}{{end}}
ORDER BY {{if .Time}}max(effect.{{.Time}}) DESC{{else}}count(*) DESC{{end}}, {{.Columns.Grouped}}
LIMIT 100;
